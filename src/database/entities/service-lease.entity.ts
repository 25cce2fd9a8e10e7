import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint } from './entity-table.js';

/** A process that serves this database, if it is on a server. It renews its row every few seconds and deletes it at its end. */
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

  /** By the server's clock. Only a change proves that the process lives, because clocks may be wrong. */
  @Column({ name: 'renewed_us', type: 'bigint', transformer: bigint })
  renewedUs!: number;
}
