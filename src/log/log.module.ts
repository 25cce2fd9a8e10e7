import { readFileSync, statSync } from 'node:fs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { StartError } from '../platform/errors/start-error.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origins.js';
import { logger } from '../platform/logging/logger.js';
import { LogBuilder } from './log-builder.js';
import { LogHashes } from './log-hashes.js';
import { LogIdentity } from './log-identity.js';
import { LogFollower } from './log-follower.js';
import { LogKeys } from './log-keys.js';
import { LogPublisher } from './log-publisher.js';
import { LogController, ProofController } from './log.controller.js';
import { LogService } from './log.service.js';
import { StatePrinter } from './state-printer.js';
import { parseWitnesses, Witnesses } from './witnesses.js';

/** Bits of a file's mode: permissions of users other than its owner and group. */
const OTHERS = 0o7;

/** Global, because other modules use the log if there is one. Without LOG_KEY this module is not loaded. */
@Global()
@Module({})
export class LogModule {
  /** @param key LOG_KEY: a file, or its text @throws StartError if it is not a key or not readable */
  static with(key: string, { logWitnesses }: Pick<Config, 'logWitnesses'>): DynamicModule {
    return {
      module: LogModule,
      imports: [FeedModule],
      controllers: [LogController, ProofController],
      providers: [
        LogBuilder,
        LogHashes,
        LogIdentity,
        LogFollower,
        LogPublisher,
        LogService,
        Origins,
        StatePrinter,
        { provide: LogKeys, useValue: readKeys(key) },
        { provide: Witnesses, useValue: new Witnesses(parsed('LOG_WITNESSES', logWitnesses, parseWitnesses)) },
      ],
      exports: [LogIdentity, LogFollower, LogService],
    };
  }
}

function readKeys(key: string): LogKeys {
  if (key.startsWith('PRIVATE+KEY+')) return parsed('LOG_KEY', key, (text) => LogKeys.parse(text));
  return parsed(`LOG_KEY (${key})`, readKeyFile(key), (text) => LogKeys.parse(text));
}

function readKeyFile(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if ((statSync(file).mode & OTHERS) !== 0)
      logger.warn(
        { file },
        'users other than its owner and group may read the key of the log, with which another history can be signed: chmod o= on it',
      );
    return text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      code === 'ENOENT'
        ? `LOG_KEY names ${file}, which does not exist: "registry log init" creates it`
        : `LOG_KEY names ${file}, which cannot be read (${message}): the user of the service must own that file`,
    );
  }
}

function parsed<T>(what: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    throw new StartError(`${what}: ${(error as Error).message}`);
  }
}
