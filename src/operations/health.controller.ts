import { Controller, Get } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer.js';
import { unavailable } from '../errors/errors.js';
import { WallClock } from '../ledger/wall-clock.js';
import { Draining } from './draining.js';

/** For supervisors and balancers. Source: contract section 10. */
@Controller('health')
export class HealthController {
  constructor(
    private readonly database: Database,
    private readonly clock: WallClock,
    private readonly draining: Draining,
  ) {}

  /** Whether the process answers; the database is not asked, so that its absence restarts nobody. */
  @Get('live')
  live(): Answer {
    return new Answer(200, '{"status":"ok"}');
  }

  /** Whether requests can be served. `degraded` still serves: the system's time has stepped, and the registry's has not followed. */
  @Get('ready')
  async ready(): Promise<Answer> {
    if (this.draining.isOn) throw unavailable('The service is about to end');
    try {
      await this.database.read('SELECT last_us FROM feed_clock WHERE id = 1');
    } catch {
      throw unavailable('The database is away');
    }
    this.clock.nowUs();
    const stepMs = this.clock.stepMs();
    const clock = stepMs === 0 ? 'ok' : `the system time is off by ${Math.round(stepMs)} ms`;
    const status = stepMs === 0 ? 'ok' : 'degraded';
    const { dialect, durability } = this.database;
    const parts = { database: dialect.name, durability: durability.told, clock };
    return new Answer(200, JSON.stringify({ status, parts }));
  }
}
