import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../../asset-types/asset-types.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import type { DtoClass, Field } from '../../asset-types/fields.js';
import { printNumber } from '../../asset-types/fields-json.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { columnsOf, type ShownField, shownFieldsOf } from './columns.js';
import { printLines } from './csv-lines.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Of the members of a list, in one cell. */
const MAX_VALUES = 20;
const SEPARATOR = ' | ';

/** Assets as lines of CSV, each with the same columns. */
@Injectable()
export class AssetTable {
  /** The first line: the names of the columns. */
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
    const given = { id, assetID, assetType, status, owner, date, dateModified, relatedLot: asset.relatedLot ?? '' };
    const cells = new Map(Object.entries(given));
    const data: unknown = JSON.parse(body.toString());
    for (const { column, names, field } of this.fieldsOf(assetType))
      cells.set(column, cellOf(valuesAt(data, names), field));
    return this.columns.map((column) => cells.get(column) ?? '');
  }

  /** A type that is not installed any more had, as a rule, what the basic one has. */
  private fieldsOf(assetType: string): readonly ShownField[] {
    const dto = this.types.find(assetType)?.dto ?? BasicAsset;
    const fields = this.fields.get(dto) ?? shownFieldsOf(dto);
    this.fields.set(dto, fields);
    return fields;
  }
}

/** The values at a path: several where lists are on the way. @param at place of the next name */
function valuesAt(data: unknown, names: readonly string[], at = 0): unknown[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((member) => valuesAt(member, names, at));
  const name = names[at];
  if (typeof data === 'object') return name === undefined ? [] : valuesAt((data as JsonObject)[name], names, at + 1);
  return name === undefined ? [data] : [];
}

/** The different values, in their order. */
function cellOf(values: readonly unknown[], field: Field): string {
  const printed = values.map((value) => (typeof value === 'number' ? printNumber(field, value) : String(value)));
  const different = [...new Set(printed)];
  const shown = different.slice(0, MAX_VALUES);
  return (shown.length < different.length ? [...shown, '…'] : shown).join(SEPARATOR);
}
