import { colourOf, curve, line, type Point, text } from './svg.js';

/** A small chart: values at places that stand in a row, whatever their distance. */
export interface Panel {
  title: string;
  /** Of the whole panel, its title and legend included. */
  at: Point;
  width: number;
  height: number;
  /** What stands below, from left to right. */
  places: readonly string[];
  series: readonly { name: string; values: readonly number[] }[];
  /** A value that shall not be exceeded. */
  mark?: number;
}

const LEFT = 52;
const RIGHT = 16;
const TITLE = 22;
const LEGEND_LINE = 18;
const LEGEND_WIDTH = 165;
const BOTTOM = 24;
/** Of the first and the last place from the ends. */
const INSET = 12;
const STEPS = 4;

/** Where values and places are on the picture. */
interface Scales {
  x: (place: number) => number;
  y: (value: number) => number;
  left: number;
  right: number;
  /** Between two lines of the grid. */
  step: number;
}

/** The vertical scale begins at zero. */
export function panel(options: Panel): string[] {
  const { title, at, places, series, mark } = options;
  const scales = scalesOf(options);
  const { x, y, left, right, step } = scales;
  const across = (value: number, strength: 'grid' | 'axis' | 'mark'): string =>
    line({ x: left, y: y(value) }, { x: right, y: y(value) }, strength);
  const grid = Array.from({ length: STEPS + 1 }, (_, i) => Number((i * step).toPrecision(3)));
  return [
    text({ x: at.x, y: at.y + 12 }, title, { bold: true }),
    ...series.flatMap(({ name }, i) => legend(name, i, options)),
    ...grid.map((value) => across(value, value === 0 ? 'axis' : 'grid')),
    ...grid.map((value) => text({ x: left - 6, y: y(value) + 4 }, String(value), { anchor: 'end', size: 11 })),
    ...places.map((place, i) => text({ x: x(i), y: y(0) + 16 }, place, { anchor: 'middle', size: 11 })),
    ...(mark === undefined ? [] : [across(mark, 'mark')]),
    ...series.map(({ values }, i) => {
      const points = values.map((value, place) => ({ x: x(place), y: y(value) }));
      return curve(points, colourOf(i));
    }),
  ];
}

function scalesOf(options: Panel): Scales {
  const { at, width, height, places, series, mark = 0 } = options;
  const top = at.y + TITLE + Math.ceil(series.length / columnsOf(options)) * LEGEND_LINE + 8;
  const bottom = at.y + height - BOTTOM;
  const step = roundStep(Math.max(mark, ...series.flatMap(({ values }) => values)) / STEPS);
  const [left, right] = [at.x + LEFT, at.x + width - RIGHT];
  const gap = (right - left - 2 * INSET) / Math.max(1, places.length - 1);
  return {
    x: (place) => left + INSET + place * gap,
    y: (value) => bottom - (value / (step * STEPS)) * (bottom - top),
    left,
    right,
    step,
  };
}

/** Of the legend. */
function columnsOf({ width }: Panel): number {
  return Math.max(1, Math.floor((width - LEFT) / LEGEND_WIDTH));
}

function legend(name: string, number: number, options: Panel): string[] {
  const columns = columnsOf(options);
  const x = options.at.x + LEFT + (number % columns) * LEGEND_WIDTH;
  const y = options.at.y + TITLE + Math.floor(number / columns) * LEGEND_LINE;
  const sample = [
    { x, y: y + 6 },
    { x: x + 16, y: y + 6 },
  ];
  return [curve(sample, colourOf(number)), text({ x: x + 24, y: y + 10 }, name, { size: 11 })];
}

/** The next larger one of 1, 2, 2.5 and 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 2.5, 5].find((factor) => factor * power >= step) ?? 10);
}
