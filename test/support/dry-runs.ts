import { expect } from '@jest/globals';
import type { Reply, Sender } from './registry.js';

export interface DryRunOptions {
  key?: string;
  headers?: Record<string, string>;
  query?: string;
}

/** Sends a write as a dry run, by default as the broker. */
export function sendDryRun(
  registry: Sender,
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  { key = 'broker', headers = {}, query = 'dry_run=1' }: DryRunOptions = {},
): Promise<Reply> {
  return registry.send(`${path}?${query}`, { method, key, headers, body });
}

/** Asserts that a dry run was answered like the write that followed, byte for byte, except for headers and fields that only a write has. */
export function expectDryRunMatches(reply: Reply, written: Reply): void {
  const { status, text } = written;
  if (status >= 400) expect([reply.status, reply.text]).toEqual([status, text]);
  else expect([reply.status, withoutGiven(reply)]).toEqual([200, withoutGiven(written)]);
}

function withoutGiven({ text }: Reply): string {
  return text
    .replace(/^\{"access":\{[^}]*\},/, '{')
    .replace(/"id":"[^"]*","assetID":"[^"]*",/, '')
    .replace(/,"date":"[^"]*","dateModified":"[^"]*"/, '');
}
