import { Module } from '@nestjs/common';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.js';
import { ClockRepository } from '../../database/repositories/clock-repository.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { clockBoundsIn } from './clock-fault.js';
import { ClockMonitor } from './clock-monitor.js';
import { WallClock } from './wall-clock.js';

@Module({
  providers: [
    { provide: WallClock, useFactory: () => new WallClock() },
    {
      provide: ClockMonitor,
      inject: [WallClock, ClockRepository, CONFIG, RegistryTime],
      useFactory: (clock: WallClock, repository: ClockRepository, config: Config, time: RegistryTime) =>
        new ClockMonitor(clock, repository, clockBoundsIn(config), time),
    },
  ],
  exports: [WallClock, ClockMonitor],
})
export class ClockModule {}
