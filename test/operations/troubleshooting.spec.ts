import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { UNAVAILABLE } from '../../src/platform/errors/api-error.js';

/** The first column of the table of a section, without its head. */
function symptomsOf(section: string): string[] {
  const [, text = ''] = readFileSync('docs/operations/troubleshooting.md', 'utf8').split(`\n## ${section}\n`);
  const [ofSection = ''] = text.split('\n## ');
  return [...ofSection.matchAll(/^\| ([^|]+) \|/gm)].slice(2).map(([, cell]) => cell as string);
}

const quotesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, quote]) => quote as string);

describe('docs/operations/troubleshooting.md', () => {
  it('explains every reason of a 503, and no other', () => {
    const explained = symptomsOf('Reasons of a 503').flatMap(quotesIn);
    expect(explained.toSorted()).toEqual(Object.keys(UNAVAILABLE).toSorted());
  });

  it('quotes log lines and reasons that the service writes', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
      .map((path) => readFileSync(`src/${path}`, 'utf8'))
      .join('\n');
    const quoted = ['The database', 'Other log lines']
      .flatMap(symptomsOf)
      .flatMap(quotesIn)
      .filter((quote) => quote.includes(' '));
    expect(quoted.length).toBeGreaterThan(20);
    expect(quoted.filter((quote) => !sources.includes(quote))).toEqual([]);
  });
});
