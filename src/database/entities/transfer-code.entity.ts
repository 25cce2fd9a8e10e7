import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** What is kept of the code by which an asset goes to another broker: one for each asset, until it is used. */
@Entity('transfer_code')
export class TransferCode {
  /** Id of the asset. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  /** SHA-256 of the code, in hex. */
  @Column({ type: 'varchar', length: 64 })
  digest!: string;

  /** From when on it is refused; microseconds since 1970 UTC. */
  @Column({ name: 'expires_us', type: 'bigint', transformer: bigint })
  expiresUs!: number;
}
