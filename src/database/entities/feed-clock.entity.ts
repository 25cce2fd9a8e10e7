import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row: the last instant that was given out. Whoever holds its lock decides what is visible next. */
@Entity('feed_clock')
export class FeedClock {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'last_us', type: 'bigint', transformer: bigint })
  lastUs!: number;

  /** 32 hex digits. Another one says that the history was replaced: what was read before is no part of it. */
  @Column({ type: 'varchar', length: 32 })
  epoch!: string;

  /** What is being copied into this database; null while it is whole. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  copying!: string | null;
}
