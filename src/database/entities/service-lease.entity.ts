import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** A process that serves this database, where it is a server's: every few seconds it renews its row, and it takes it away at its end. */
@Entity('service_lease')
export class ServiceLease {
  /** Random hex. */
  @PrimaryColumn({ type: 'varchar', length: 32 })
  id!: string;

  @Column({ type: 'varchar', length: 255 })
  host!: string;

  @Column({ type: 'integer' })
  pid!: number;

  @Column({ name: 'since_us', type: 'bigint', transformer: bigint })
  sinceUs!: number;

  /** By the server's clock. That it changes is a sign of life; how late it is says nothing, as clocks may be wrong. */
  @Column({ name: 'renewed_us', type: 'bigint', transformer: bigint })
  renewedUs!: number;
}
