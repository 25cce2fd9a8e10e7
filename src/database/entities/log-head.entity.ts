import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row: size and newest checkpoint of the log. Lock it to append. */
@Entity('log_head')
export class LogHead {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** Number of entries. */
  @Column({ type: 'bigint', transformer: bigint })
  size!: number;

  /** All states up to this instant are in the log; microseconds since 1970 UTC, -1 before the first one. */
  @Column({ name: 'until_us', type: 'bigint', transformer: bigint })
  untilUs!: number;

  /** The signed note to serve; null before the first one. */
  @Column({ type: 'longtext', nullable: true })
  checkpoint!: string | null;
}
