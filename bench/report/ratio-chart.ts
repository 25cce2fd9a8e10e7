import { eachServer, SERVER_TITLES, type ServerName, SERVERS } from '../servers.js';
import { placeOf, type Results, type Row } from './row.js';
import { box, colourOf, line, picture, text } from './svg.js';

const WIDTH = 800;
const LEFT = 280;
const RIGHT = 84;
const LEGEND_Y = 38;
const LEGEND_WIDTH = 110;
const TOP = 64;
const HEADING = 44;
const BAR = 11;
const GAP = 10;
/** Of the axis, which begins at zero; a longer bar ends there, and its rate says the rest. */
const MOST = 4;
const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const COLOURS: Record<ServerName, string> = { floor: colourOf(1), fastify: colourOf(3), registry: colourOf(0) };

/** One process of each: what the servers answer in a second, times the floor, in every work, with the targets. */
export function ratioChart(results: Results): string {
  const rows = results.rows.filter(({ processes, work }) => processes === 1 && work.mode !== 'paced');
  const names = SERVERS.filter((name) => rows.some((row) => row[name] !== undefined));
  const title = 'Answers a second of one process, times those of a server written by hand';
  const parts = [text({ x: 12, y: 24 }, title, { size: 15, bold: true }), ...legend(names)];
  let y = TOP;
  for (const place of new Set(rows.map(placeOf))) {
    const here = rows.filter((row) => placeOf(row) === place);
    const step = names.length * BAR + GAP;
    const bottom = y + HEADING + here.length * step;
    parts.push(text({ x: 12, y: y + 20 }, place, { bold: true }), ...grid(y + HEADING, bottom));
    here.forEach((row, i) => parts.push(...groupOf(row, y + HEADING + GAP / 2 + i * step)));
    y = bottom;
  }
  return picture(WIDTH, y + 20, title, parts);
}

function legend(names: readonly ServerName[]): string[] {
  const x = (i: number): number => 12 + i * LEGEND_WIDTH;
  const target = x(names.length) + 6;
  return [
    ...names.flatMap((name, i) => [
      box({ x: x(i), y: LEGEND_Y }, 12, 12, COLOURS[name]),
      text({ x: x(i) + 18, y: LEGEND_Y + 10 }, SERVER_TITLES[name]),
    ]),
    line({ x: target, y: LEGEND_Y - 2 }, { x: target, y: LEGEND_Y + 14 }, 'mark'),
    text({ x: target + 12, y: LEGEND_Y + 10 }, 'wanted of the registry on MariaDB'),
  ];
}

function grid(top: number, bottom: number): string[] {
  return Array.from({ length: MOST + 1 }, (_, value) => value).flatMap((value) => {
    const x = xOf(value);
    const strength = value === 0 ? 'axis' : 'grid';
    return [
      line({ x, y: top - 6 }, { x, y: bottom }, strength),
      text({ x, y: top - 12 }, `${value}×`, { anchor: 'middle' }),
    ];
  });
}

/** A bar for each server. */
function groupOf(row: Row, y: number): string[] {
  const { database, floor, work } = row;
  const servers = eachServer(row);
  const height = servers.length * BAR;
  const parts = [text({ x: LEFT - 12, y: y + height / 2 + 4 }, `${work.id} ${work.name}`, { anchor: 'end' })];
  servers.forEach(([name, { perSecond }], i) => {
    const [top, end] = [y + i * BAR, xOf(perSecond / floor.perSecond)];
    parts.push(
      box({ x: LEFT, y: top }, end - LEFT, BAR - 1, COLOURS[name]),
      text({ x: end + 6, y: top + BAR - 2 }, `${NUMBER.format(perSecond)}/s`, { size: 10 }),
    );
  });
  if (work.target !== undefined && database === 'mariadb') {
    const x = xOf(work.target);
    parts.push(line({ x, y: y - 3 }, { x, y: y + height + 2 }, 'mark'));
  }
  return parts;
}

function xOf(ratio: number): number {
  return LEFT + (Math.min(MOST, ratio) / MOST) * (WIDTH - LEFT - RIGHT);
}
