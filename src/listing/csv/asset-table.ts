import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../../asset-types/asset-types.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import type { DtoClass } from '../../asset-types/fields.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { columnsOf, joinValues, type ShownField, shownFieldsOf, valuesAt } from './columns.js';
import { printLines } from './csv-lines.js';

/** Prints assets as lines of CSV with the same columns. */
@Injectable()
export class AssetTable {
  /** The line of column names. */
  readonly header: string;
  private readonly columns: readonly string[];
  private readonly fields = new Map<DtoClass, readonly ShownField[]>();

  constructor(
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {
    this.columns = columnsOf(types.installed);
    this.header = printLines([this.columns]);
  }

  print(assets: readonly ReadAsset[]): Buffer {
    return Buffer.from(printLines(assets.map((asset) => this.cellsOf(asset))));
  }

  private cellsOf(asset: ReadAsset): string[] {
    const { id, assetId: assetID, assetType, status, owner, createdUs, modifiedUs, body } = asset;
    const [date, dateModified] = [this.time.print(createdUs), this.time.print(modifiedUs)];
    const common = { id, assetID, assetType, status, owner, date, dateModified, relatedLot: asset.relatedLot ?? '' };
    const cells = new Map(Object.entries(common));
    const data: unknown = JSON.parse(body.toString());
    for (const { column, names, field } of this.fieldsOf(assetType))
      cells.set(column, joinValues(valuesAt(data, names), field));
    return this.columns.map((column) => cells.get(column) ?? '');
  }

  /** Falls back to `basic` for a type that is no longer installed, because types usually extend it. */
  private fieldsOf(assetType: string): readonly ShownField[] {
    const dto = this.types.find(assetType)?.dto ?? BasicAsset;
    const fields = this.fields.get(dto) ?? shownFieldsOf(dto);
    this.fields.set(dto, fields);
    return fields;
  }
}
