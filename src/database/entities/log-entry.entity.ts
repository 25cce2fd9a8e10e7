import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** A log entry: one public state of an asset. Only its opening ever changes, when a field is erased. */
@Entity('log_entry')
@Index('uq_log_entry_modified', ['modifiedUs'], { unique: true })
export class LogEntry {
  /** Its place in the log, from 0. */
  @PrimaryColumn({ type: 'bigint', transformer: bigint })
  place!: number;

  /** Id of the asset. */
  @Column({ type: 'varchar', length: 32 })
  asset!: string;

  /** When the asset was created; microseconds since 1970 UTC. */
  @Column({ name: 'created_us', type: 'bigint', transformer: bigint })
  createdUs!: number;

  /** When the state began; microseconds since 1970 UTC. */
  @Column({ name: 'modified_us', type: 'bigint', transformer: bigint })
  modifiedUs!: number;

  /** Base64 of 32 bytes; null if the state no longer matched its checksum. */
  @Column({ type: 'varchar', length: 44, nullable: true })
  commitment!: string | null;

  /** JSON text of an Opening (clients/tlog). */
  @Column({ type: 'longtext' })
  opening!: string;
}
