import { describeFuzzedRequests } from '../series/fuzzed-requests.js';

/** Ten thousand on both databases together. */
describeFuzzedRequests(5_000);
