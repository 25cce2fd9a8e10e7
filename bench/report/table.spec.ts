import { describe, expect, it } from '@jest/globals';
import type { Figures } from '../figures.js';
import { WORKS } from '../works.js';
import type { Row } from './row.js';
import { lineOf, markdownOf } from './table.js';

const figures: Figures = {
  perSecond: 1_000,
  p50: 1,
  p95: 8,
  p99: 10,
  perCpuSecond: 2_000,
  serviceUs: 500,
  databaseUs: 100,
  serviceCores: 0.9,
  databaseCores: 0.2,
  otherCores: 0.1,
  rss: 200 * 1_024 * 1_024,
  failed: 0,
  generatorShare: 0.3,
  generatorCores: 0.5,
};

function rowOf(name: string, registry: Partial<Figures>, further: Partial<Row> = {}): Row {
  const work = WORKS.find((one) => one.name === name);
  if (work === undefined) throw new Error(`There is no work ${name}`);
  const place = { database: 'mariadb', size: 20_000, processes: 1, connections: 64, pace: undefined } as const;
  return {
    ...place,
    work,
    floor: figures,
    registry: { ...figures, ...registry },
    rounds: [],
    generators: 1,
    ...further,
  };
}

/** The cells of the first line that begins with `name`. */
function cellsOf(table: string, name: string): string[] {
  const line = table.split('\n').find((one) => one.startsWith(`| ${name}`));
  return (line ?? '')
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('the table', () => {
  it('sets the registry beside the floor, and says whether the targets are met', () => {
    const rows = [
      rowOf('read one asset', { perSecond: 1_510 }),
      rowOf('page of 100, start', { perSecond: 1_100 }),
      rowOf('create', { perSecond: 900, p99: 12.1 }),
    ];
    const table = markdownOf(rows);
    expect(table).toContain('### MariaDB, 20,000 assets, 1 process\n');
    expect(cellsOf(table, 'W1')).toEqual([
      'W1 read one asset',
      '1,000',
      '500 + 100',
      '1,510',
      '500 + 100',
      '1.51',
      '10.0',
      '10.0',
      '1.00',
      '1.5',
      'yes',
    ]);
    expect(cellsOf(table, 'W2').slice(-2)).toEqual(['1.6', 'no: ratio']);
    expect(cellsOf(table, 'W3').slice(-3)).toEqual(['1.21', '0.9', 'no: p99']);
  });

  it('judges a paced work by p99, and a copy by its rate', () => {
    const mix = 'mix of a normal day, at half of the lowest peak';
    const table = markdownOf([
      rowOf(mix, { p99: 13 }, { pace: 500 }),
      rowOf('copy by pages, floor by single reads', { perSecond: 5_000, p99: 100 }),
    ]);
    expect(cellsOf(table, 'W6')).toEqual([
      `W6 ${mix} (500/s)`,
      '1,000',
      '500 + 100',
      '1,000',
      '500 + 100',
      '',
      '10.0',
      '13.0',
      '1.30',
      '',
      'no: p99',
    ]);
    expect(cellsOf(table, 'W5').slice(-1)).toEqual(['yes']);
  });

  it('judges nothing on SQLite and with more processes, and says how these scale', () => {
    const table = markdownOf([
      rowOf('read one asset', {}),
      rowOf('read one asset', { perSecond: 3_000, p99: 90 }, { processes: 4 }),
      rowOf('read one asset', { p99: 90 }, { database: 'sqlite' }),
    ]);
    const [, many, sqlite, scaling] = table.split('### ').slice(1) as [string, string, string, string];
    for (const section of [many, sqlite]) expect(cellsOf(section, 'W1').slice(-2)).toEqual(['', '']);
    expect(cellsOf(scaling, '20,000 assets, W1').slice(1, 5)).toEqual(['4', '1.00', '3.00', '3.2']);
  });

  it('tells each row in a line, failures in capitals', () => {
    expect(lineOf(rowOf('read one asset', {}))).not.toContain('FAILED');
    expect(lineOf(rowOf('read one asset', { failed: 2 }))).toContain('FAILED: registry 2');
  });

  it('says the processor time beside each rate, and the cores that each part kept busy', () => {
    const row = rowOf('read one asset', { databaseUs: 0, databaseCores: 0 });
    expect(lineOf(row)).toContain('| floor 1,000/s, 10.0 ms, 500 + 100 µs, 0.50 + 0.90 + 0.20 + 0.10 cores |');
    expect(lineOf(row)).toContain('| registry 1,000/s, 10.0 ms, 500 µs, 0.50 + 0.90 + 0.00 + 0.10 cores |');
    const table = markdownOf([row]);
    expect(table).toContain(
      '| W1 read one asset | floor | 0.50 | 0.90 | 0.20 | 0.10 | 1.00 | 2,000 | 200 | 1 × 30 % |',
    );
    expect(table).toContain(
      '| W1 read one asset | registry | 0.50 | 0.90 | 0.00 | 0.10 | 1.00 | 2,000 | 200 | 1 × 30 % |',
    );
  });

  it('sets Fastify between floor and registry where it was measured', () => {
    const row = rowOf('create', { perSecond: 900 }, { fastify: { ...figures, perSecond: 600, p99: 20 } });
    expect(lineOf(row)).toContain('| Fastify 600/s, 20.0 ms,');
    const table = markdownOf([row]);
    const cells = [
      '1,000',
      '500 + 100',
      '600',
      '500 + 100',
      '900',
      '500 + 100',
      '0.90',
      '1.50',
      '10.0',
      '20.0',
      '10.0',
    ];
    expect(cellsOf(table, 'W3').slice(1, 12)).toEqual(cells);
    expect(cellsOf(table, 'work').slice(3, 9)).toEqual([
      'Fastify /s',
      'Fastify µs',
      'registry /s',
      'registry µs',
      'ratio',
      'times Fastify',
    ]);
    expect(table).toContain('| W3 create | Fastify |');
  });
});
