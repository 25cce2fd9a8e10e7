import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row that is changed for nothing but to commit: where visible does not mean durable, that makes it so. */
@Entity('feed_barrier')
export class FeedBarrier {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'bigint', transformer: bigint })
  n!: number;
}
