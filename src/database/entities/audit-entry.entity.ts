import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** All that is audited. */
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

/** Who has done what, and when: one row for each change of an asset and each command of an operator, written with what it tells of. */
@Entity('audit')
@Index('ix_audit_subject', ['subject', 'us'])
export class AuditEntry {
  /** Microseconds since 1970 UTC; of an asset's change, its dateModified. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  us!: number;

  /** What it was done to: id of an asset or a key, name of an account; `clock`, or `database` for a command on all of it. */
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

  /** JSON text of an object: more of what was done, never a secret. */
  @Column({ type: 'text' })
  detail!: string;
}
