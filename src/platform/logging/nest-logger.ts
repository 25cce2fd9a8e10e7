import type { LoggerService } from '@nestjs/common';
import { logger, stackOf } from './logger.js';

/** Contexts of Nest's own messages at start: each class, each route, and an error that is thrown anyway. */
const STARTUP_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'ExceptionHandler',
]);

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Writes the messages of teams' modules to Nest's Logger into the log. */
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

/** @param others further values, and last the context: the name of the Logger */
function write(level: Level, message: unknown, others: readonly unknown[]): void {
  const context = others.at(-1);
  if (typeof context === 'string' && STARTUP_CONTEXTS.has(context)) return;
  const rest = others.slice(0, -1).filter((other) => other !== undefined);
  const details = rest.length === 0 ? { context } : { context, details: rest.map(withStack) };
  if (message instanceof Error) logger[level]({ ...details, stack: stackOf(message) }, 'logged by a module');
  else if (typeof message === 'string') logger[level](details, message);
  else logger[level]({ ...details, message: withStack(message) }, 'logged by a module');
}

function withStack(value: unknown): unknown {
  return value instanceof Error ? stackOf(value) : value;
}
