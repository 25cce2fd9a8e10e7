import { Injectable } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { ClockMonitor } from '../feed/clock/clock-monitor.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import { Database } from '../database/database.js';
import { type DatabaseFindings, DatabaseInspector } from '../database/database-inspector.js';
import { DeadlineError, within } from '../database/connections/deadline.js';
import { codeOf } from '../database/dialects/error-code.js';
import { logger } from '../platform/logging/logger.js';
import { IndexFollower } from '../search/index-follower.js';

/** A part that the service needs. `failed`: the service cannot serve. `degraded`: it serves, but needs an operator. */
interface Part {
  name: string;
  state: 'ok' | 'degraded' | 'failed';
  /** Without SQL, paths and secrets; `ok` or the kind of a part that works. */
  description: string;
}

/** How long a result is cached, so that frequent checks cost nothing. */
const CACHE_MS = 1_000;
const MIN_FREE_DISK = 0.1;

/** Checks what the service needs, part by part. */
@Injectable()
export class Health {
  private latest: { parts: Promise<Part[]>; atMs: number } | undefined;
  private inspection: Promise<DatabaseFindings> | undefined;

  constructor(
    private readonly database: Database,
    private readonly inspector: DatabaseInspector,
    private readonly clock: WallClock,
    private readonly clockMonitor: ClockMonitor,
    private readonly index: IndexFollower,
  ) {}

  /** Checks all parts, in less than a second. Concurrent callers share one check, and a result is at most a second old. */
  check(): Promise<Part[]> {
    const now = performance.now();
    if (this.latest === undefined || now - this.latest.atMs >= CACHE_MS) {
      this.latest = { parts: this.checkAll(), atMs: now };
    }
    return this.latest.parts;
  }

  private async checkAll(): Promise<Part[]> {
    const [database, disk] = await Promise.all([this.databaseParts(), this.diskParts()]);
    return [...database, this.clockPart(), ...disk, ...this.searchParts()];
  }

  private async databaseParts(): Promise<Part[]> {
    try {
      const { pendingMigrations, durability } = await this.inspectDatabase();
      const isBehind = pendingMigrations.length > 0;
      return [
        this.databasePart(),
        isBehind ? part('schema', 'failed', 'is behind: run "registry migrate"') : part('schema', 'ok'),
        part('durability', durability.strict ? 'ok' : 'degraded', durability.summary),
        this.writesPart(),
      ];
    } catch (error) {
      logger.debug({ reason: codeOf(error) ?? (error as Error).name }, 'the database is not ready');
      return [part('database', 'failed', this.reasonOf(error))];
    }
  }

  private reasonOf(error: unknown): string {
    if (error instanceof DeadlineError) return 'does not answer in time';
    const { cause } = error as Error;
    const why = cause === undefined ? this.database.trouble : this.database.dialect.describeFailure(cause);
    return `${this.database.isAway ? 'is away' : 'cannot be used for now'}${why === undefined ? '' : `: ${why}`}`;
  }

  /** Open connections keep working when the server refuses new ones. */
  private databasePart(): Part {
    const { dialect, trouble } = this.database;
    if (trouble !== undefined) return part('database', 'degraded', `takes no new connection: ${trouble}`);
    return part('database', 'ok', dialect.name);
  }

  /** Degraded, not failed: reads still work, and every other instance has the same database. */
  private writesPart(): Part {
    const { refusal } = this.database.writes;
    return refusal === undefined ? part('writes', 'ok') : part('writes', 'degraded', `are refused: ${refusal}`);
  }

  /** Single-flight: while the database does not answer, all checks wait for the same query. */
  private inspectDatabase(): Promise<DatabaseFindings> {
    this.inspection ??= this.inspector.inspect().finally(() => (this.inspection = undefined));
    return within(TIME_BUDGETS_MS.health, this.inspection, () => undefined);
  }

  private clockPart(): Part {
    const { doubt, mayWrite } = this.clockMonitor;
    if (doubt !== undefined) return part('clock', 'failed', doubt);
    if (!mayWrite) return part('clock', 'degraded', 'was not compared with the database yet');
    this.clock.nowUs();
    const stepMs = this.clock.stepMs();
    if (stepMs === 0) return part('clock', 'ok');
    return part('clock', 'degraded', `the system time is off by ${Math.round(stepMs)} ms`);
  }

  /** `ok`, because an index can be searched while it is being built. */
  private searchParts(): Part[] {
    const { builtBackToUs } = this.index;
    if (builtBackToUs === undefined) return [];
    const since = new Date(builtBackToUs / 1_000).toISOString();
    return [part('search', 'ok', `its index is being built, and has what has changed since ${since}`)];
  }

  private async diskParts(): Promise<Part[]> {
    try {
      const free = await within(TIME_BUDGETS_MS.health, this.inspector.freeDisk(), () => undefined);
      if (free === undefined) return [];
      if (free.share >= MIN_FREE_DISK) return [part('disk', 'ok')];
      return [part('disk', 'degraded', `only ${Math.floor(free.share * 100)} % of the disk is free`)];
    } catch {
      return [part('disk', 'degraded', 'the free space cannot be read')];
    }
  }
}

function part(name: string, state: Part['state'], description = 'ok'): Part {
  return { name, state, description };
}
