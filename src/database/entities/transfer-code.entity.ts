import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** A code for handing an asset over to another broker: at most one per asset, deleted when used. */
@Entity('transfer_code')
export class TransferCode {
  /** Id of the asset. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  /** SHA-256 of the code, in hex. */
  @Column({ type: 'varchar', length: 64 })
  digest!: string;

  /** When it expires; microseconds since 1970 UTC. */
  @Column({ name: 'expires_us', type: 'bigint', transformer: bigint })
  expiresUs!: number;
}
