import { expect } from '@jest/globals';
import type { Reply, Sender } from './registry.js';

export interface Tried {
  key?: string;
  headers?: Record<string, string>;
  query?: string;
}

/** A write that is tried only, by the broker unless another key is given. */
export function tried(
  registry: Sender,
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  { key = 'broker', headers = {}, query = 'dry_run=1' }: Tried = {},
): Promise<Reply> {
  return registry.send(`${path}?${query}`, { method, key, headers, body });
}

/** Checks that a dry run was answered as the write that followed, byte for byte, but for what only the write gives. */
export function expectAsTried(reply: Reply, written: Reply): void {
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
