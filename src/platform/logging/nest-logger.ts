import type { LoggerService } from '@nestjs/common';
import { logger, stackOf } from './logger.js';

/** What Nest itself tells while it starts: each class, each route, and an error that the start throws anyway. */
const OF_THE_START = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'ExceptionHandler',
]);

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Writes to the log what modules of teams tell with Nest's Logger. */
export class NestLogger implements LoggerService {
  log(message: unknown, ...others: unknown[]): void {
    write('info', message, others);
  }

  error(message: unknown, ...others: unknown[]): void {
    write('error', message, others);
  }

  warn(message: unknown, ...others: unknown[]): void {
    write('warn', message, others);
  }

  debug(message: unknown, ...others: unknown[]): void {
    write('debug', message, others);
  }

  verbose(message: unknown, ...others: unknown[]): void {
    write('trace', message, others);
  }

  fatal(message: unknown, ...others: unknown[]): void {
    write('fatal', message, others);
  }
}

/** @param others what else was told, and last the context: the name that the Logger was made with */
function write(level: Level, message: unknown, others: readonly unknown[]): void {
  const context = others.at(-1);
  if (typeof context === 'string' && OF_THE_START.has(context)) return;
  const rest = others.slice(0, -1).filter((other) => other !== undefined);
  const details = rest.length === 0 ? { context } : { context, details: rest.map(shown) };
  if (message instanceof Error) logger[level]({ ...details, stack: stackOf(message) }, 'told by a module');
  else if (typeof message === 'string') logger[level](details, message);
  else logger[level]({ ...details, message: shown(message) }, 'told by a module');
}

function shown(value: unknown): unknown {
  return value instanceof Error ? stackOf(value) : value;
}
