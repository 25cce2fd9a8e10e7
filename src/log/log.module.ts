import { existsSync, readFileSync } from 'node:fs';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { StartError } from '../errors/start-error.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/exchange.js';
import { LogBuilder } from './log-builder.js';
import { LogHashes } from './log-hashes.js';
import { LogIdentity } from './log-identity.js';
import { LogKeeper } from './log-keeper.js';
import { LogKeys } from './log-keys.js';
import { LogPublisher } from './log-publisher.js';
import { LogController, ProofController } from './log.controller.js';
import { LogService } from './log.service.js';
import { StatePrinter } from './state-printer.js';
import { parseWitnesses, Witnesses } from './witnesses.js';

/** Global, as others tell of the log where there is one: without a key this module is left out. */
@Global()
@Module({})
export class LogModule {
  /** @param key LOG_KEY: a file, or its text @throws StartError where it is no key, or cannot be read */
  static with(key: string, { logWitnesses }: Pick<Config, 'logWitnesses'>): DynamicModule {
    return {
      module: LogModule,
      imports: [FeedModule],
      controllers: [LogController, ProofController],
      providers: [
        LogBuilder,
        LogHashes,
        LogIdentity,
        LogKeeper,
        LogPublisher,
        LogService,
        Origins,
        StatePrinter,
        { provide: LogKeys, useValue: readKeys(key) },
        { provide: Witnesses, useValue: new Witnesses(parsed('LOG_WITNESSES', logWitnesses, parseWitnesses)) },
      ],
      exports: [LogIdentity, LogKeeper, LogService],
    };
  }
}

function readKeys(key: string): LogKeys {
  if (key.startsWith('PRIVATE+KEY+')) return parsed('LOG_KEY', key, (text) => LogKeys.parse(text));
  if (!existsSync(key)) throw new StartError(`LOG_KEY names ${key}, which is not there: "registry log init" makes it`);
  return parsed(`LOG_KEY (${key})`, readKeyFile(key), (text) => LogKeys.parse(text));
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `LOG_KEY names ${file}, which cannot be read (${(error as Error).message}): the user of the service owns that file`,
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
