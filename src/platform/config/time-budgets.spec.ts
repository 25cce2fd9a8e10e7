import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { TIME_BUDGETS_MS } from './time-budgets.js';

/** Promised to load balancers in docs/operations/limits-and-proxy.md. */
const PROMISED_MS = 10_000;
const { admission, answer, lockOnServer, readAttempts, hostProbe, statement, statementOnServer } = TIME_BUDGETS_MS;

describe('the time budgets', () => {
  it('let a request wait for less than the 10 s promised to load balancers', () => {
    expect(answer).toBeLessThan(PROMISED_MS);
  });

  it('leave the last admitted write the time to wait for a lock', () => {
    expect(admission + lockOnServer).toBeLessThan(answer);
  });

  it('end a read within 8 s, and detect a silent host earlier', () => {
    expect(readAttempts + statement).toBeLessThanOrEqual(8_000);
    expect(hostProbe).toBeLessThan(statement);
  });

  it('let the server report that a statement took too long', () => {
    expect(lockOnServer).toBeLessThan(statementOnServer);
    expect(statementOnServer).toBeLessThan(statement);
  });

  it('are in order: answer, drain, shutdown', () => {
    const { drain, shutdown } = TIME_BUDGETS_MS;
    const inOrder = [answer, drain, shutdown, 25_000];
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
  });

  it('are those of docs/operations/limits-and-proxy.md, in the same order', () => {
    const text = readFileSync(`${import.meta.dirname}/../../../docs/operations/limits-and-proxy.md`, 'utf8');
    const [, section = ''] = /\n## Time limits\n([^]*?)\n## /.exec(text) ?? [];
    const rows = section.matchAll(/^\| `(\w+)` +\| ([\d.]+) s +\|/gm);
    const documented = Array.from(rows, ([, name, seconds]) => [name, Number(seconds) * 1_000]);
    expect(documented).toEqual(Object.entries(TIME_BUDGETS_MS));
  });
});
