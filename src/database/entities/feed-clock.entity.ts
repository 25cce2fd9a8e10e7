import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row with the last instant. The transaction that has it locked commits next. */
@Entity('feed_clock')
export class FeedClock {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'last_us', type: 'bigint', transformer: bigint })
  lastUs!: number;

  /** 32 hex digits. It changes when the history is replaced, so that readers discard what they have read. */
  @Column({ type: 'varchar', length: 32 })
  epoch!: string;

  /** Names the restore, import or move that is writing into this database; null if it is complete. */
  @Column({ type: 'varchar', length: 64, nullable: true })
  copying!: string | null;
}
