import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row, once somebody has seen the time: what a later start compares its clock with. */
@Entity('clock_witness')
export class ClockWitness {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** When a service was last at work with a clock that was believed, or an operator believed one; microseconds since 1970 UTC. */
  @Column({ name: 'seen_us', type: 'bigint', transformer: bigint })
  seenUs!: number;

  /** By how much the instants may be ahead of the time, as an operator has decided; microseconds. */
  @Column({ name: 'lead_us', type: 'bigint', transformer: bigint })
  leadUs!: number;
}
