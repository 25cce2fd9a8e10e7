import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** One row, or none at first: the time that a service compares its clock with at its start. */
@Entity('clock_witness')
export class ClockWitness {
  @PrimaryColumn({ type: 'integer' })
  id!: number;

  /** When a service last worked with a trusted clock, or an operator accepted one; microseconds since 1970 UTC. */
  @Column({ name: 'seen_us', type: 'bigint', transformer: bigint })
  seenUs!: number;

  /** How far instants may be ahead of the clock, as an operator has accepted; microseconds. */
  @Column({ name: 'lead_us', type: 'bigint', transformer: bigint })
  leadUs!: number;
}
