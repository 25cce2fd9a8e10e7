import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** Bytes that an account stored on the day of its last write. */
@Entity('stored_bytes')
export class StoredBytes {
  /** Name of the account. */
  @PrimaryColumn({ type: 'varchar', length: 100 })
  account!: string;

  /** The local day, `2017-08-16`. */
  @Column({ type: 'varchar', length: 10 })
  day!: string;

  /** Estimate of the bytes written for the account's changes of that day. */
  @Column({ type: 'bigint', transformer: bigint })
  bytes!: number;
}
