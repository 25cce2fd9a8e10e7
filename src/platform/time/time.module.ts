import { Global, Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { RegistryTime } from './registry-time.js';

@Global()
@Module({
  providers: [
    { provide: RegistryTime, inject: [CONFIG], useFactory: (config: Config) => new RegistryTime(config.timeZone) },
  ],
  exports: [RegistryTime],
})
export class TimeModule {}
