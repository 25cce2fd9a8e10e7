import type { AssetType } from '../asset-types/asset-type.js';
import { BasicAsset } from '../asset-types/basic/basic.dto.js';
import { type DtoClass, type Field, fieldsOf } from '../asset-types/fields.js';

/** A field that is one value, in the asset or in an object of it. */
export interface ValueField {
  /** Names from the asset's root, with dots between them: `value.amount`. */
  column: string;
  names: readonly string[];
  field: Field;
}

/**
 * The columns of every CSV: what each asset has, with the fields of `basic` in its midst, then those that other types add. A type that is
 * installed later adds its own at the end. Source: contract section 11.
 */
export function columnsOf(types: readonly AssetType[]): string[] {
  const ofBasic = columnsOfDto(BasicAsset);
  const common = ['id', 'assetID', 'assetType', 'status', ...ofBasic, 'owner', 'date', 'dateModified', 'relatedLot'];
  return [...new Set([...common, ...types.flatMap(({ dto }) => columnsOfDto(dto))])];
}

function columnsOfDto(dto: DtoClass): string[] {
  return valueFieldsOf(dto).map(({ column }) => column);
}

/**
 * Lists are left out: a table has no place for them.
 * @param within those that the DTO is nested in: one may contain itself, and ends there
 */
export function valueFieldsOf(
  dto: DtoClass,
  before: readonly string[] = [],
  within: readonly DtoClass[] = [],
): ValueField[] {
  return [...fieldsOf(dto)].flatMap(([name, field]) => {
    const { nested, list, schema } = field;
    const names = [...before, name];
    if (list || schema['type'] === 'array') return [];
    if (nested === undefined) return [{ column: names.join('.'), names, field }];
    const outer = [...within, dto];
    return outer.includes(nested()) ? [] : valueFieldsOf(nested(), names, outer);
  });
}
