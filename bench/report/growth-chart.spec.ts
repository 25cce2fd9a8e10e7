import { describe, expect, it } from '@jest/globals';
import type { Figures } from '../figures.js';
import type { Growth } from '../growth/results.js';
import { growthChart } from './growth-chart.js';
import { growthMarkdown } from './growth-table.js';

const figures = (serviceUs: number): Figures =>
  ({ serviceUs, databaseUs: 100, p50: 1, p99: 2, perSecond: 1_000 }) as Figures;

const GROWTH: Growth = {
  kind: 'growth',
  when: '',
  machine: '',
  database: '',
  starts: [{ size: 20_000, readyMs: 900 }],
  sizes: [20_000, 5_000_000].flatMap((size) =>
    ['W1 read', 'W3 create'].map((work) => ({ size, work, figures: figures(size / 10_000), first: figures(2) })),
  ),
  depths: [{ size: 20_000, depth: 'end', figures: figures(300), first: figures(100) }],
  writers: [1, 256].map((writers) => ({ writers, figures: figures(10), batch: writers / 4 })),
  connections: [{ idle: 10_000, active: 64, rss: 2 ** 28 }],
};

describe('the chart of growth', () => {
  it('has a dot for each value, within its panel', () => {
    const svg = growthChart(GROWTH);
    const dots = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)];
    const legend = 2 * (2 + 1 + 2 + 1);
    expect(dots).toHaveLength(4 + 2 + 4 + 1 + legend);
    expect(dots.every(([, x, y]) => Number(x) < 800 && Number(y) < 680)).toBe(true);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('draws what is dearer higher', () => {
    const [line = ''] =
      growthChart(GROWTH)
        .match(/<polyline points="[^"]*" (?=[^>]*#1f5fa8)/g)
        ?.slice(1) ?? [];
    const [first, last] = [...line.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y)) as [number, number];
    expect(last).toBeLessThan(first);
  });
});

describe('the tables of growth', () => {
  it('tell the cost times that on the first data set, the database among it', () => {
    const lines = growthMarkdown(GROWTH).split('\n');
    expect(lines).toContain('| W1 read | 5,000,000 | 500 | 100 | 1.00 | 2.00 | 5.88 | 1.00 |');
    expect(lines).toContain('| page of 100 at the end | 20,000 | 300 | 100 | 1.00 | 2.00 | 1.00 |');
    expect(lines).toContain('| 256 | 1,000 | 64.0 | 1.00 | 2.00 |');
    expect(lines).toContain('| 10,000 | 64 | 256 |');
    expect(lines).toContain('| 20,000 | 900 |');
  });
});
