import { describeFuzzedRequests } from '../series/fuzzed-requests.js';

/** On each of two databases, by a new seed each time. By hand: REQUESTS=50000. */
describeFuzzedRequests(Number(process.env['REQUESTS'] ?? 2_500));
