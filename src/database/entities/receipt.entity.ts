import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** Record of a POST with an Idempotency-Key that created an asset or took one over; a repeated request is answered from it. */
@Entity('receipt')
@Index('ix_receipt_created', ['createdUs'])
export class Receipt {
  /** SHA-256 of the account's name and the key, in hex. */
  @PrimaryColumn({ type: 'varchar', length: 64 })
  id!: string;

  /** SHA-256 of the request's body, in hex; for a takeover of the asset's id, a NUL and the body. */
  @Column({ name: 'body_digest', type: 'varchar', length: 64 })
  bodyDigest!: string;

  /** Id of the asset that was created, or taken over. */
  @Column({ name: 'asset_id', type: 'varchar', length: 32 })
  assetId!: string;

  /** The owner token is derived from it and the key, which is not stored. */
  @Column({ type: 'varchar', length: 32 })
  salt!: string;

  /** Microseconds since 1970 UTC. */
  @Column({ name: 'created_us', type: 'bigint', transformer: bigint })
  createdUs!: number;
}
