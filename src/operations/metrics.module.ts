import { Global, Module } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { LEDGER_OBSERVER } from '../feed/writing/ledger-observer.js';
import { LIMIT_OBSERVER } from '../http/limits/limit-observer.js';
import { LIVE_OBSERVER } from '../listing/live/live-observer.js';
import { FEED_OBSERVER } from '../feed/feed-observer.js';
import { Metrics } from './metrics.js';

/**
 * Registers Metrics as the observer of the other rooms, which know only their own observer interfaces. The ledger gets an observer only if
 * metrics are served, because every write would pay for it.
 */
@Global()
@Module({
  providers: [
    Metrics,
    {
      provide: LEDGER_OBSERVER,
      inject: [Metrics, CONFIG],
      useFactory: (metrics: Metrics, { metricsPort }: Config) => (metricsPort === undefined ? undefined : metrics),
    },
    { provide: FEED_OBSERVER, useExisting: Metrics },
    { provide: LIMIT_OBSERVER, useExisting: Metrics },
    { provide: LIVE_OBSERVER, useExisting: Metrics },
  ],
  exports: [Metrics, LEDGER_OBSERVER, FEED_OBSERVER, LIMIT_OBSERVER, LIVE_OBSERVER],
})
export class MetricsModule {}
