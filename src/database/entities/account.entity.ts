import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

export const ROLES = ['broker', 'concierge', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** An account that may write. Its name is the owner of assets, and is never reused. */
@Entity('account')
@Index('uq_account_name', ['name'], { unique: true })
export class Account {
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  @Column({ type: 'varchar', length: 100 })
  name!: string;

  @Column({ type: 'varchar', length: 20 })
  role!: Role;

  @Column({ name: 'created_us', type: 'bigint', transformer: bigint })
  createdUs!: number;

  /** Since when the account is disabled and its keys are refused. */
  @Column({ name: 'disabled_us', type: 'bigint', nullable: true, transformer: bigint })
  disabledUs!: number | null;

  /** Shown on pages in addition to the name. */
  @Column({ name: 'display_name', type: 'varchar', length: 200, nullable: true })
  displayName!: string | null;
}
