import { Controller, Get } from '@nestjs/common';
import { VERSION } from '../platform/config/version.js';
import { Answer } from '../http/answer.js';
import { notReady } from '../platform/errors/errors.js';
import { ShutdownState } from './shutdown-state.js';
import { Health } from './health.js';

/** For supervisors and balancers. Source: contract section 10. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: Health,
    private readonly shutdown: ShutdownState,
  ) {}

  /** Liveness. Does not check the database: a supervisor must not restart the service because the database is down. */
  @Get('live')
  live(): Answer {
    return new Answer(200, JSON.stringify({ status: 'ok', version: VERSION }));
  }

  /** Readiness. `degraded` still serves, and names the part that needs an operator. @throws ApiError 503 */
  @Get('ready')
  async ready(): Promise<Answer> {
    if (this.shutdown.hasBegun) throw notReady(['service: is about to end']);
    const parts = await this.health.check();
    const failed = parts.filter(({ state }) => state === 'failed');
    if (failed.length > 0) throw notReady(failed.map(({ name, description }) => `${name}: ${description}`));
    const status = parts.every(({ state }) => state === 'ok') ? 'ok' : 'degraded';
    const descriptions = Object.fromEntries(parts.map(({ name, description }) => [name, description]));
    return new Answer(200, JSON.stringify({ status, version: VERSION, parts: descriptions }));
  }
}
