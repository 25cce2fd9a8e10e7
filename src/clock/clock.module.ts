import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ClockRepository } from '../database/clock-repository.js';
import { RegistryTime } from '../time/registry-time.js';
import { clockBoundsIn } from './clock-fault.js';
import { ClockJudge } from './clock-judge.js';
import { WallClock } from './wall-clock.js';

@Module({
  providers: [
    { provide: WallClock, useFactory: () => new WallClock() },
    {
      provide: ClockJudge,
      inject: [WallClock, ClockRepository, CONFIG, RegistryTime],
      useFactory: (clock: WallClock, repository: ClockRepository, config: Config, time: RegistryTime) =>
        new ClockJudge(clock, repository, clockBoundsIn(config), time),
    },
  ],
  exports: [WallClock, ClockJudge],
})
export class ClockModule {}
