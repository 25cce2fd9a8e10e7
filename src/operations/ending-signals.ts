/** What ends the service in order. A terminal that is closed sends SIGHUP to all that were started from it. */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
