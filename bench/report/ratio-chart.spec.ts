import { describe, expect, it } from '@jest/globals';
import { WORKS } from '../works.js';
import { ratioChart } from './ratio-chart.js';
import type { Figures } from '../figures.js';
import type { Results, Row } from './row.js';

function resultsOf(...rows: Pick<Row, 'database' | 'size'>[]): Results {
  const figures = (perSecond: number): Figures => ({ perSecond }) as Figures;
  return {
    kind: 'ratios',
    when: '',
    machine: '',
    databases: [],
    rounds: 1,
    seconds: 1,
    rows: rows.flatMap((place) =>
      WORKS.map((work) => {
        const servers = { floor: figures(1_000), fastify: figures(500), registry: figures(1_500) };
        const measured = { ...servers, rounds: [], generators: 1 };
        return { ...place, ...measured, work, processes: 1, connections: 64, pace: undefined };
      }),
    ),
  };
}

const TWO = resultsOf({ database: 'mariadb', size: 20_000 }, { database: 'sqlite', size: 1_000_000 });
const bars = (svg: string): string[] => svg.match(/<rect x[^>]*height="10"[^>]*>/g) ?? [];

describe('the chart of the ratios', () => {
  it('has a bar for each server in each work and place that can be compared, and a line for each target', () => {
    const svg = ratioChart(TWO);
    const compared = WORKS.filter(({ mode }) => mode !== 'paced');
    expect(bars(svg)).toHaveLength(2 * 3 * compared.length);
    // On MariaDB, and one in the legend.
    const targets = compared.filter(({ target }) => target !== undefined).length;
    expect(svg.match(/#cf222e/g)).toHaveLength(targets + 1);
    expect(svg).toContain('MariaDB, 20,000 assets, 1 process');
    expect(svg).toContain('SQLite, 1,000,000 assets, 1 process');
  });

  it('begins each bar at zero: three times the rate is three times the length', () => {
    const [floor, fastify, registry] = bars(ratioChart(TWO)).map((bar) => Number(/width="([\d.]+)"/.exec(bar)?.[1]));
    expect([fastify, registry]).toEqual([(floor as number) * 0.5, (floor as number) * 1.5]);
  });

  it('has two bars where Fastify was not measured', () => {
    const two = resultsOf({ database: 'mariadb', size: 20_000 });
    for (const row of two.rows) delete row.fastify;
    expect(bars(ratioChart(two))).toHaveLength(2 * (WORKS.length - 1));
    expect(ratioChart(two)).not.toContain('Fastify');
  });

  it('is XML with one root, every element closed, and no text that is none', () => {
    const svg = ratioChart(TWO);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    const open: string[] = [];
    for (const [, closes, name, isEmpty] of svg.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)) {
      if (closes) expect(open.pop()).toBe(name);
      else if (!isEmpty) open.push(name as string);
    }
    expect(open).toEqual([]);
    expect(svg).not.toMatch(/NaN|undefined|Infinity|&(?!amp;|lt;|gt;|quot;)/);
  });

  it('ends a bar at the end of the axis', () => {
    const wide = resultsOf({ database: 'mariadb', size: 20_000 });
    wide.rows.forEach(({ registry }) => (registry.perSecond = 1_000_000));
    const ends = bars(ratioChart(wide)).map(
      (bar) => Number(/x="([\d.]+)"/.exec(bar)?.[1]) + Number(/width="([\d.]+)"/.exec(bar)?.[1]),
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(800);
  });
});
