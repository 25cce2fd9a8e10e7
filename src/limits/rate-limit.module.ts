import { Global, Module } from '@nestjs/common';
import { RateLimits } from './rate-limits.js';

/** Guards of other modules ask it. */
@Global()
@Module({ providers: [RateLimits], exports: [RateLimits] })
export class RateLimitModule {}
