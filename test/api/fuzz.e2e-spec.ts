import { describeFuzzedRequests } from '../series/fuzzed-requests.js';

describeFuzzedRequests(300);
