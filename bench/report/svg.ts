/** Small pieces of SVG as text; colours for a light background, which a picture brings along. */
const COLOURS = ['#1f5fa8', '#7fb1e3', '#b3541e', '#e8b48a', '#2e7d4f', '#8a5fb0'];

export function colourOf(number: number): string {
  return COLOURS[number % COLOURS.length] as string;
}

const INK = '#24292f';
const PALE = '#d0d7de';

export interface Point {
  x: number;
  y: number;
}

interface TextOptions {
  anchor?: 'start' | 'middle' | 'end';
  size?: number;
  bold?: boolean;
}

export function picture(width: number, height: number, title: string, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif">`;
  const ground = `<rect width="${width}" height="${height}" fill="#ffffff"/>`;
  return [head, `<title>${escape(title)}</title>`, ground, ...parts, '</svg>', ''].join('\n');
}

export function text({ x, y }: Point, content: string, options: TextOptions = {}): string {
  const { anchor = 'start', size = 12, bold = false } = options;
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}"${weight} fill="${INK}">${escape(content)}</text>`;
}

export function box({ x, y }: Point, width: number, height: number, colour: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${colour}"/>`;
}

/** @param strength thin and pale for a grid, thick and dark for what matters */
export function line(from: Point, to: Point, strength: 'grid' | 'axis' | 'mark'): string {
  const [colour, width] = { grid: [PALE, 1], axis: [INK, 1], mark: ['#cf222e', 2.5] }[strength] as [string, number];
  const ends = `x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}"`;
  return `<line ${ends} stroke="${colour}" stroke-width="${width}"/>`;
}

/** A curve with a dot at each point. */
export function curve(points: readonly Point[], colour: string): string {
  const path = points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ');
  const dots = points.map(({ x, y }) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${colour}"/>`);
  return [`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots].join('\n');
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
