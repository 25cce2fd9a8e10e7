import type { AssetType } from '../../asset-types/asset-type.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import { type DtoClass, type Field, fieldsOf } from '../../asset-types/fields.js';
import { printNumber } from '../../asset-types/fields-json.js';
import type { Labels } from '../../asset-types/labels.js';
import { Address, Classification } from '../../asset-types/shared/parts.dto.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Values of list members in one cell. */
const MAX_VALUES = 20;
const SEPARATOR = ' | ';

/** A scalar field with a column: of the asset, of a nested object, or of the members of a list. */
export interface ShownField {
  /** Path from the asset's root: `value.amount`. */
  column: string;
  names: readonly string[];
  field: Field;
  /** Labels of the enclosing objects, then its own. */
  labels: readonly Labels[];
}

/** The position of a nested DTO. */
interface Position {
  names: readonly string[];
  labels: readonly Labels[];
  /** The enclosing DTOs, to stop at one that contains itself. */
  within: readonly DtoClass[];
  isMember: boolean;
}

const ROOT: Position = { names: [], labels: [], within: [], isMember: false };
/** Parts of list members that have columns. */
const SHOWN_OF_MEMBERS: readonly DtoClass[] = [Address, Classification];

/**
 * The columns of every CSV: common members with the fields of `basic` among them, then the fields that other types add, in the order of
 * installation. Source: contract section 11.
 */
export function columnsOf(types: readonly AssetType[]): string[] {
  const basic = columnsOfDto(BasicAsset);
  const common = ['id', 'assetID', 'assetType', 'status', ...basic, 'owner', 'date', 'dateModified', 'relatedLot'];
  return [...new Set([...common, ...types.flatMap(({ dto }) => columnsOfDto(dto))])];
}

function columnsOfDto(dto: DtoClass): string[] {
  return shownFieldsOf(dto).map(({ column }) => column);
}

/** Scalar fields, and the addresses and classifications of list members. */
export function shownFieldsOf(dto: DtoClass, { names, labels, within, isMember }: Position = ROOT): ShownField[] {
  const isShown = !isMember || SHOWN_OF_MEMBERS.includes(dto);
  return [...fieldsOf(dto)].flatMap(([name, field]) => {
    const path = [...names, name];
    const labelled = [...labels, field.labels];
    const around = [...within, dto];
    if (field.nested === undefined)
      return isShown ? [{ column: path.join('.'), names: path, field, labels: labelled }] : [];
    if (around.includes(field.nested())) return [];
    const isInMember = isMember || field.list === true;
    return shownFieldsOf(field.nested(), { names: path, labels: labelled, within: around, isMember: isInMember });
  });
}

/** The values at a path: several if it leads through lists. @param depth index of the next name */
export function valuesAt(data: unknown, names: readonly string[], depth = 0): unknown[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((member) => valuesAt(member, names, depth));
  const name = names[depth];
  if (typeof data === 'object') return name === undefined ? [] : valuesAt((data as JsonObject)[name], names, depth + 1);
  return name === undefined ? [data] : [];
}

/** Joins the distinct values, in their order. */
export function joinValues(values: readonly unknown[], field: Pick<Field, 'decimal'>): string {
  const printed = values.map((value) => (typeof value === 'number' ? printNumber(field, value) : String(value)));
  const different = [...new Set(printed)];
  const shown = different.slice(0, MAX_VALUES);
  return (shown.length < different.length ? [...shown, '…'] : shown).join(SEPARATOR);
}
