import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

export const AUDIT_ACTIONS = [
  'asset.create',
  'asset.change',
  'asset.transfer',
  'asset.redact',
  'draft.purge',
  'key.create',
  'key.rotate',
  'key.revoke',
  'key.demo',
  'account.disable',
  'account.enable',
  'account.display-name',
  'token.reissue',
  'transfer.code',
  'clock.accept',
  'db.backup',
  'db.restore',
  'db.move',
  'db.import',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One row per change of an asset and per command of an operator, written in the same transaction. */
@Entity('audit')
@Index('ix_audit_subject', ['subject', 'us'])
export class AuditEntry {
  /** Microseconds since 1970 UTC; of an asset's change, its dateModified. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  us!: number;

  /** Id of an asset or a key, name of an account, `clock`, or `database` for a command on the whole database. */
  @PrimaryColumn({ type: 'varchar', length: 100 })
  subject!: string;

  /** Name of the account, or `operator:` and a user of the operating system. */
  @Column({ type: 'varchar', length: 100 })
  actor!: string;

  @Column({ type: 'varchar', length: 32 })
  action!: AuditAction;

  /** The X-Request-ID; null for a command. */
  @Column({ name: 'request_id', type: 'varchar', length: 128, nullable: true })
  requestId!: string | null;

  /** JSON text of an object with details, never a secret. */
  @Column({ type: 'text' })
  detail!: string;
}
