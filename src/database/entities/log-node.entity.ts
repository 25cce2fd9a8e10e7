import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** The hash of a full tile of the log: 256 hashes of the level below. Level 0, the entries, has no rows here. */
@Entity('log_node')
export class LogNode {
  /** From 1. */
  @PrimaryColumn({ type: 'integer' })
  level!: number;

  /** Its index in the level, from 0. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  place!: number;

  /** Base64 of 32 bytes. */
  @Column({ type: 'varchar', length: 44 })
  hash!: string;
}
