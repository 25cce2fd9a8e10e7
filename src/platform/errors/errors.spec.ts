import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import * as catalogue from './errors.js';

interface DocumentedError {
  status: string;
  location: string;
  name: string;
  description: string;
}

const SAMPLES: Record<string, unknown[]> = {
  unavailable: ['database_away'],
  malformedParameter: ['_parameter_', '_rule_'],
  repeatedParameter: ['_parameter_'],
  repeatedHeader: ['_header_'],
  tooManyRequests: ['_seconds_', { kind: '_reads_', burst: '_burst_', perSecond: '_rate_' }],
  tooManyBytes: ['_seconds_', '_limit_'],
  bodyTooLarge: ['_limit_'],
  groupTooLarge: ['_limit_'],
  membersRefused: ['_its_', [{ location: 'body', name: '_member.field_', description: '_rule_' }]],
  rangeBeyondEnd: ['_size_'],
  malformedHeader: ['_header_', '_rule_'],
  bodyNotJson: ['_why_'],
  actionNotFound: ['_methods_', '_help_'],
  changeRefused: ['_status_', '_help_'],
  fieldsNotWritable: [['_field_'], '_help_'],
  notReady: [['_part_: _reason_']],
  fieldsInvalid: [[{ name: '_field_', description: '_rule_' }]],
};

/** The rows by the function's name; italics in the table stand for the arguments in SAMPLES. */
function documented(): [string, DocumentedError][] {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => {
    const [error = '', status = '', location = '', name = '', description = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return [error.replaceAll('`', ''), { status, location, name, description }];
  });
}

describe('docs/errors.md', () => {
  it('has one row for each error of the catalogue, and no others', () => {
    const names = documented().map(([name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(catalogue).toSorted());
  });

  it.each(documented())('says of %s what is answered', (name, row) => {
    const make = catalogue[name as keyof typeof catalogue] as (...sample: unknown[]) => ApiError;
    const error = make(...(SAMPLES[name] ?? []));
    expect({ ...error.faults[0], status: String(error.status) }).toEqual(row);
  });
});

describe('the error body', () => {
  const fault = (name: string) => ({ location: 'body' as const, name, description: 'x' });
  const names = (error: ApiError): string[] =>
    JSON.parse(error.body()).errors.map((entry: { name: string }) => entry.name);

  it('limits names that a client chose to 128 characters', () => {
    expect(names(new ApiError(422, [fault('k'.repeat(5_000))]))[0]).toHaveLength(128);
  });

  it('never cuts a surrogate pair in half', () => {
    expect(names(new ApiError(422, [fault(`${'k'.repeat(127)}😀`)]))[0]?.isWellFormed()).toBe(true);
  });
});
