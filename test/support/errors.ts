import { expect } from '@jest/globals';
import type { Reply } from './registry.js';

interface Fault {
  location: 'header' | 'body';
  name: string;
  description: string;
}

/** What no answer may tell: stacks, statements, paths of files, modules and tables. */
const INSIDES = /\n\s+at |node_modules|node:internal|\.[tj]s\b|\/(?:src|dist|tmp)\/|SQLITE|QueryFailed|SELECT |UPDATE /;

/** Checks that `reply` is an error body as the contract's section 8 draws it, and hands out its entries. */
export function faultsOf(reply: Pick<Reply, 'status' | 'text' | 'json'>, status: number): Fault[] {
  expect(`${reply.status} ${reply.text}`).toMatch(new RegExp(`^${status} `));
  expect(reply.json).toEqual({ status: 'error', errors: expect.any(Array) });
  const faults = reply.json.errors as Fault[];
  expect(faults.length).toBeGreaterThanOrEqual(1);
  expect(faults.length).toBeLessThanOrEqual(20);
  for (const fault of faults) {
    expect(fault).toEqual({
      location: expect.stringMatching(/^(?:header|body)$/),
      name: expect.stringMatching(/./s),
      description: expect.stringMatching(/./),
    });
  }
  expect(reply.text).not.toMatch(INSIDES);
  return faults;
}

/** A description that begins with the contract's text: it may go on. */
export const beginning = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^${text.replaceAll(/[()[\]]/g, '\\$&')}(?:$|: .)`));

/** The one fault of `reply`. */
export function expectError(
  reply: Pick<Reply, 'status' | 'text' | 'json'>,
  status: number,
  location: Fault['location'],
  name: string,
  description: unknown = expect.any(String),
): void {
  expect(faultsOf(reply, status)).toEqual([{ location, name, description }]);
}

/** The faulty fields of `reply`, all in its body, in any order. */
export function expectFaultyFields(reply: Reply, status: number, names: readonly string[]): void {
  const faults = faultsOf(reply, status);
  expect(faults.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(new Set(faults.map(({ location }) => location))).toEqual(new Set(['body']));
}
