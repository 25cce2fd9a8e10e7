/** Signals that shut the service down gracefully. A terminal that is closed sends SIGHUP to its processes. */
export const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
