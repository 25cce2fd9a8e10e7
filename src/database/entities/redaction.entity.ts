import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** An erasure: one row for each, kept so that a restored backup is erased again. It has no value of what went. */
@Entity('redaction')
@Index('ix_redaction_asset', ['asset'])
export class Redaction {
  /** The change that erased it, by its instant: microseconds since 1970 UTC, of the asset its dateModified. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  us!: number;

  /** Id of the asset. */
  @Column({ type: 'varchar', length: 32 })
  asset!: string;

  /** JSON text of an array: the pointers that were given. */
  @Column({ type: 'text' })
  pointers!: string;

  @Column({ type: 'varchar', length: 1000 })
  reason!: string;
}
