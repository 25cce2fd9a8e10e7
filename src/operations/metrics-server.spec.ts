import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../platform/config/config.js';
import { logger } from '../platform/logging/logger.js';
import { MetricsServer } from './metrics-server.js';

const config = loadConfig({ METRICS_PORT: '0' });
let metrics: () => Promise<string>;
let server: MetricsServer;

beforeEach(async () => {
  logger.level = 'silent';
  metrics = () => Promise.resolve('some_total 1\n');
  server = await MetricsServer.listen(
    { contentType: 'text/plain; version=0.0.4; charset=utf-8', metrics: () => metrics() },
    config,
  );
});
afterEach(() => server.close());

describe('the port of the metrics', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/metrics/'],
    ['GET', '/health/ready'],
    ['POST', '/metrics'],
  ])('answers 404 to %s %s', async (method, path) => {
    expect((await fetch(new URL(path, server.url), { method })).status).toBe(404);
  });

  it('answers 500 without a reason if the metrics cannot be collected', async () => {
    metrics = () => Promise.reject(new Error('secret'));
    const reply = await fetch(server.url);
    expect([reply.status, await reply.text()]).toEqual([500, '']);
  });
});
