import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Account } from './account.entity.js';
import { bigint } from './entity-table.js';

/** An API key of an account; only its digest is stored. */
@Entity('api_key')
@Index('uq_api_key_digest', ['digest'], { unique: true })
@Index('ix_api_key_account', ['account'])
export class ApiKey {
  /** Operators name the key by it. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  @ManyToOne(() => Account, { nullable: false, onDelete: 'RESTRICT', onUpdate: 'RESTRICT' })
  @JoinColumn({ name: 'account_id', foreignKeyConstraintName: 'fk_api_key_account' })
  account!: Account;

  /** SHA-256 of the key, in hex. */
  @Column({ type: 'varchar', length: 64 })
  digest!: string;

  @Column({ name: 'created_us', type: 'bigint', transformer: bigint })
  createdUs!: number;

  @Column({ name: 'expires_us', type: 'bigint', nullable: true, transformer: bigint })
  expiresUs!: number | null;

  @Column({ name: 'revoked_us', type: 'bigint', nullable: true, transformer: bigint })
  revokedUs!: number | null;

  /** Local day on which the key was last accepted, `2017-08-16`. */
  @Column({ name: 'used_day', type: 'varchar', length: 10, nullable: true })
  usedDay!: string | null;
}
