import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

export const ROLES = ['broker', 'concierge', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Who may write. The name is what assets show as owner, and is never given to anybody else. */
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

  /** Since when all of its keys are refused. */
  @Column({ name: 'disabled_us', type: 'bigint', nullable: true, transformer: bigint })
  disabledUs!: number | null;

  /** What people see beside the name, on pages only. */
  @Column({ name: 'display_name', type: 'varchar', length: 200, nullable: true })
  displayName!: string | null;
}
