import { styleText } from 'node:util';

type Style = 'gray' | 'green' | 'yellow' | 'red';

/** Names and terminal styles of pino's levels. */
const LEVELS: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};
/** Removed, because a terminal would obey them and a client or a database may have written them. */
const CONTROL_CHARACTERS = /(?!\n)\p{Cc}/gu;

interface LogLine extends Readonly<Record<string, unknown>> {
  level: number;
  time: string;
  msg?: string;
  stack?: string;
  method?: string;
  path?: string;
  status?: number;
  ms?: number;
}

/**
 * Prints a line of the log for people: the time of day, the level, the request or the message, and then the other members.
 * @param line as the logger writes it, one object of JSON
 */
export function terminalLine(line: string): string {
  const { level, time, msg, method, path, status, ms, stack, ...others } = JSON.parse(line) as LogLine;
  const [name, style] = LEVELS[level] ?? [String(level), 'gray'];
  const text = method === undefined ? (msg ?? '') : `${method} ${path} ${status ?? 'no answer'} ${ms} ms`;
  const members = Object.entries(others).map(([key, value]) => `${key}=${printValue(value)}`);
  const parts = [styleText('gray', timeOfDay(time)), styleText(style, name.padEnd(5)), withoutControlCharacters(text)];
  if (members.length > 0) parts.push(styleText('gray', withoutControlCharacters(members.join(' '))));
  return `${parts.join(' ')}\n${stack === undefined ? '' : `${withoutControlCharacters(stack)}\n`}`;
}

function timeOfDay(time: string): string {
  return new Date(time).toTimeString().slice(0, 'hh:mm:ss'.length);
}

function printValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function withoutControlCharacters(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ');
}
