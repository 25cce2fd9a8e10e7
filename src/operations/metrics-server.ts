import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.js';
import { listen } from '../http/listen.js';
import { logger } from '../platform/logging/logger.js';

const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, maxHeaderSize: 8_192 };
const MAX_CONNECTIONS = 64;

/** The metrics to serve, and their media type. */
type Source = Pick<Registry, 'contentType' | 'metrics'>;

/** Serves `GET /metrics` in the text format of Prometheus, on a port that the public does not reach. */
export class MetricsServer {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @throws the system error if the port is not available */
  static async listen(source: Source, { metricsHost, metricsPort }: Config): Promise<MetricsServer> {
    const server = createServer(LIMITS, (request, response) => {
      if (request.url !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) response.writeHead(404).end();
      else void answer(source, response);
    });
    server.maxConnections = MAX_CONNECTIONS;
    const url = `${await listen(server, { host: metricsHost, port: metricsPort })}/metrics`;
    logger.info({ url }, 'metrics are served');
    return new MetricsServer(server, url);
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    return closed;
  }
}

async function answer(source: Source, response: ServerResponse): Promise<void> {
  try {
    const text = await source.metrics();
    response.writeHead(200, { 'Content-Type': source.contentType }).end(text);
  } catch (error) {
    logger.warn({ reason: (error as Error).message }, 'the metrics could not be collected');
    response.writeHead(500).end();
  }
}
