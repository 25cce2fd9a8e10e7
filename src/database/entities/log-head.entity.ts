import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row: how far the log goes, and what was signed of it last. Whoever holds its lock appends. */
@Entity('log_head')
export class LogHead {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** How many entries there are. */
  @Column({ type: 'bigint', transformer: bigint })
  size!: number;

  /** All states up to this instant are in the log; microseconds since 1970 UTC, -1 before the first one. */
  @Column({ name: 'until_us', type: 'bigint', transformer: bigint })
  untilUs!: number;

  /** The signed note that is served; null before the first one. */
  @Column({ type: 'longtext', nullable: true })
  checkpoint!: string | null;
}
