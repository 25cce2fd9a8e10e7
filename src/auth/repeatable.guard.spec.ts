import type { ExecutionContext } from '@nestjs/common';
import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import type { WallClock } from '../clock/wall-clock.js';
import type { AccessReader } from '../database/access-reader.js';
import type { RegistryRequest } from '../http/exchange.js';
import { RepeatableGuard } from './repeatable.guard.js';

it('a large body is known again by its digest, and takes no memory any more', async () => {
  const text = 'x'.repeat(100_000);
  const buffer = new ArrayBuffer(text.length, { maxByteLength: text.length });
  const bytes = Buffer.from(buffer);
  bytes.write(text);
  const request = {
    headers: { 'idempotency-key': 'k' },
    params: {},
    account: { name: 'broker' },
    envelope: { data: {}, access: undefined, bytes, held: 0 },
  } as unknown as RegistryRequest;
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  const reader = { findReceipt: () => Promise.resolve(undefined) } as unknown as AccessReader;

  await new RepeatableGuard(reader, {} as WallClock).canActivate(context);

  expect(request.repeatable?.bodyDigest).toBe(hash('sha256', text));
  expect(buffer.byteLength).toBe(0);
});
