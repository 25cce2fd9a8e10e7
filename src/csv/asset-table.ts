import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { BasicAsset } from '../asset-types/basic/basic.dto.js';
import type { DtoClass } from '../asset-types/fields.js';
import { printNumber } from '../asset-types/fields-json.js';
import type { ReadAsset } from '../database/asset-row.js';
import { RegistryTime } from '../time/registry-time.js';
import { columnsOf, type ValueField, valueFieldsOf } from './columns.js';
import { printLines } from './csv-lines.js';

/** Assets as lines of CSV, each with the same columns. */
@Injectable()
export class AssetTable {
  /** The first line: the names of the columns. */
  readonly header: string;
  private readonly columns: readonly string[];
  private readonly fields = new Map<DtoClass, readonly ValueField[]>();

  constructor(
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {
    this.columns = columnsOf(types.installed);
    this.header = printLines([this.columns]);
  }

  /** A line for each asset. */
  print(assets: readonly ReadAsset[]): Buffer {
    return Buffer.from(printLines(assets.map((asset) => this.cellsOf(asset))));
  }

  private cellsOf(asset: ReadAsset): string[] {
    const cells = this.valuesOf(asset);
    const { id, assetId, assetType, status, owner, createdUs, modifiedUs, relatedLot } = asset;
    const [date, dateModified] = [this.time.print(createdUs), this.time.print(modifiedUs)];
    const given = { id, assetID: assetId, assetType, status, owner, date, dateModified, relatedLot: relatedLot ?? '' };
    for (const [column, cell] of Object.entries(given)) cells.set(column, cell);
    return this.columns.map((column) => cells.get(column) ?? '');
  }

  private valuesOf({ assetType, body }: ReadAsset): Map<string, string> {
    const data: unknown = JSON.parse(body.toString());
    const cells = new Map<string, string>();
    for (const { column, names, field } of this.fieldsOf(assetType)) {
      const value = valueAt(data, names);
      if (typeof value === 'string') cells.set(column, value);
      else if (typeof value === 'number') cells.set(column, printNumber(field, value));
      else if (typeof value === 'boolean') cells.set(column, String(value));
    }
    return cells;
  }

  /** A type that is not installed any more had, as a rule, what the basic one has. */
  private fieldsOf(assetType: string): readonly ValueField[] {
    const dto = this.types.find(assetType)?.dto ?? BasicAsset;
    const fields = this.fields.get(dto) ?? valueFieldsOf(dto);
    this.fields.set(dto, fields);
    return fields;
  }
}

function valueAt(data: unknown, names: readonly string[]): unknown {
  let value = data;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
