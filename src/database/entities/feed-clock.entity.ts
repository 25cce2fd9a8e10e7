import { Column, Entity, PrimaryColumn } from 'typeorm';
import { instant } from './instant.js';

/** One row: the last instant that was given out. Whoever holds its lock decides what is visible next. */
@Entity('feed_clock')
export class FeedClock {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'last_us', type: 'bigint', transformer: instant })
  lastUs!: number;
}
