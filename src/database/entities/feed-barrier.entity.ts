import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row, updated only to commit: the commit makes earlier visible commits durable. */
@Entity('feed_barrier')
export class FeedBarrier {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'bigint', transformer: bigint })
  n!: number;
}
