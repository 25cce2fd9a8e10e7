import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** How much an account has had stored on the last day on which it wrote. */
@Entity('stored_bytes')
export class StoredBytes {
  /** Name of the account. */
  @PrimaryColumn({ type: 'varchar', length: 100 })
  account!: string;

  /** The local day, `2017-08-16`. */
  @Column({ type: 'varchar', length: 10 })
  day!: string;

  /** An estimate of what the database wrote for the account's changes of that day. */
  @Column({ type: 'bigint', transformer: bigint })
  bytes!: number;
}
