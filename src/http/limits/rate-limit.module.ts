import { Global, Module } from '@nestjs/common';
import { RateLimits } from './rate-limits.js';

/** Global, because guards of other modules use the limits. */
@Global()
@Module({ providers: [RateLimits], exports: [RateLimits] })
export class RateLimitModule {}
