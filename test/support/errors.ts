import { expect } from '@jest/globals';
import type { Reply } from './registry.js';

interface Fault {
  location: 'header' | 'body';
  name: string;
  description: string;
}

/** Internals that no answer may reveal: stack traces, statements, paths of files, modules and tables. */
const INSIDES = /\n\s+at |node_modules|node:internal|\.[tj]s\b|\/(?:src|dist|tmp)\/|SQLITE|QueryFailed|SELECT |UPDATE /;

/** Asserts that `reply` is an error body of contract section 8. @returns its entries */
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

/** Matches a description that begins with the contract's text and may continue. */
export const beginning = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^${text.replaceAll(/[()[\]]/g, '\\$&')}(?:$|: .)`));

/** Asserts that `reply` has exactly one error. @returns it */
export function expectError(
  reply: Pick<Reply, 'status' | 'text' | 'json'>,
  status: number,
  location: Fault['location'],
  name: string,
  description: unknown = expect.any(String),
): void {
  expect(faultsOf(reply, status)).toEqual([{ location, name, description }]);
}

/** Asserts which fields of the body are faulty, in any order. */
export function expectFaultyFields(reply: Reply, status: number, names: readonly string[]): void {
  const faults = faultsOf(reply, status);
  expect(faults.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(new Set(faults.map(({ location }) => location))).toEqual(new Set(['body']));
}
