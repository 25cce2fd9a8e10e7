import type { Work } from '../works.js';
import { ratioOf, type Results, type Row } from './row.js';
import { box, colourOf, line, picture, text } from './svg.js';

const WIDTH = 800;
const LEFT = 260;
const RIGHT = 60;
const TOP = 84;
const BAR = 11;
const GAP = 12;
/** The ends of the axis, and what stands at it: twice as fast is as far from the floor as half as fast. */
const LEAST = 1 / 8;
const MOST = 16;
const STEPS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const NUMBER = new Intl.NumberFormat('en');

/** What one colour stands for. */
interface Series {
  name: string;
  rows: Row[];
}

/** One process of each: how many times as fast the registry is as the floor, in every work, with the targets. */
export function ratioChart(results: Results): string {
  const rows = results.rows.filter(({ processes, work }) => processes === 1 && work.mode !== 'paced');
  const series = seriesOf(rows);
  const works = [...new Map(rows.map(({ work }) => [work.name, work])).values()];
  const step = series.length * BAR + GAP;
  const bottom = TOP + works.length * step;
  const grid = STEPS.flatMap((value) => gridLine(value, bottom));
  const groups = works.flatMap((work, i) => groupOf(work, series, TOP + i * step));
  const title = 'The registry beside a server written by hand: requests a second, times the floor';
  const parts = [text({ x: 12, y: 24 }, title, { size: 15, bold: true }), ...legend(series), ...grid, ...groups];
  return picture(WIDTH, bottom + 20, title, parts);
}

function seriesOf(rows: readonly Row[]): Series[] {
  const nameOf = ({ database, size }: Row): string =>
    `${database === 'mariadb' ? 'MariaDB' : 'SQLite'}, ${NUMBER.format(size)} assets`;
  const names = [...new Set(rows.map(nameOf))];
  return names.map((name) => ({ name, rows: rows.filter((row) => nameOf(row) === name) }));
}

function legend(series: readonly Series[]): string[] {
  const width = 170;
  const names = series.flatMap(({ name }, i) => [
    box({ x: 12 + i * width, y: 38 }, 12, 12, colourOf(i)),
    text({ x: 30 + i * width, y: 48 }, name),
  ]);
  const x = 12 + series.length * width;
  return [
    ...names,
    line({ x: x + 6, y: 36 }, { x: x + 6, y: 52 }, 'mark'),
    text({ x: x + 18, y: 48 }, 'target on MariaDB'),
  ];
}

function gridLine(value: number, bottom: number): string[] {
  const x = placeOf(value);
  const name = value < 1 ? `1/${1 / value}` : `${value}×`;
  const strength = value === 1 ? 'axis' : 'grid';
  return [line({ x, y: TOP - 6 }, { x, y: bottom }, strength), text({ x, y: TOP - 12 }, name, { anchor: 'middle' })];
}

function groupOf(work: Work, series: readonly Series[], y: number): string[] {
  const height = series.length * BAR;
  const parts = [text({ x: LEFT - 12, y: y + height / 2 + 4 }, `${work.id} ${work.name}`, { anchor: 'end' })];
  series.forEach(({ rows }, i) => {
    const row = rows.find((one) => one.work.name === work.name);
    if (row !== undefined) parts.push(...barOf(ratioOf(row), y + i * BAR, colourOf(i)));
  });
  if (work.target !== undefined) {
    const x = placeOf(work.target);
    parts.push(line({ x, y: y - 3 }, { x, y: y + height + 3 }, 'mark'));
  }
  return parts;
}

/** From the floor to the left or to the right. */
function barOf(ratio: number, y: number, colour: string): string[] {
  const [from, to] = [placeOf(1), placeOf(ratio)].toSorted((a, b) => a - b) as [number, number];
  const label = ratio < 1 ? { x: from - 4, anchor: 'end' as const } : { x: to + 4, anchor: 'start' as const };
  return [
    box({ x: from, y }, to - from, BAR - 1, colour),
    text({ x: label.x, y: y + BAR - 2 }, ratio.toFixed(2), { anchor: label.anchor, size: 10 }),
  ];
}

/** Beyond its ends the axis does not go. */
function placeOf(ratio: number): number {
  const [least, most] = [Math.log2(LEAST), Math.log2(MOST)];
  const share = (Math.log2(Math.min(MOST, Math.max(LEAST, ratio))) - least) / (most - least);
  return LEFT + share * (WIDTH - LEFT - RIGHT);
}
