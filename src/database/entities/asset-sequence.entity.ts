import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last number of each local day, for assetID. */
@Entity('asset_sequence')
export class AssetSequence {
  /** `2017-08-16`. */
  @PrimaryColumn({ type: 'varchar', length: 10 })
  day!: string;

  @Column({ name: 'last_number', type: 'integer' })
  lastNumber!: number;
}
