import type { AssetType } from '../../asset-types/asset-type.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import { type DtoClass, type Field, fieldsOf } from '../../asset-types/fields.js';
import { printNumber } from '../../asset-types/fields-json.js';
import type { Labels } from '../../asset-types/labels.js';
import { Address, Classification } from '../../asset-types/shared/parts.dto.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Of the members of a list, in one cell. */
const MAX_VALUES = 20;
const SEPARATOR = ' | ';

/** A field of one value that a column shows: in the asset, in an object of it, or in each member of a list. */
export interface ShownField {
  /** Names from the asset's root, with dots between them: `value.amount`. */
  column: string;
  names: readonly string[];
  field: Field;
  /** Labels of the objects that it is in, then its own. */
  labels: readonly Labels[];
}

/** Where a DTO is nested. */
interface Position {
  names: readonly string[];
  labels: readonly Labels[];
  /** The DTOs around it: one may contain itself, and ends there. */
  within: readonly DtoClass[];
  isMember: boolean;
}

const ROOT: Position = { names: [], labels: [], within: [], isMember: false };
/** What is shown of the members of a list: a table has no room for everything. */
const SHOWN_OF_MEMBERS: readonly DtoClass[] = [Address, Classification];

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
  return shownFieldsOf(dto).map(({ column }) => column);
}

/** The fields of one value, and of the members of lists where they are and how they are classified. */
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

/** The values at a path: several where lists are on the way. @param at place of the next name */
export function valuesAt(data: unknown, names: readonly string[], at = 0): unknown[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((member) => valuesAt(member, names, at));
  const name = names[at];
  if (typeof data === 'object') return name === undefined ? [] : valuesAt((data as JsonObject)[name], names, at + 1);
  return name === undefined ? [data] : [];
}

/** The different values, in their order, as text. */
export function joinValues(values: readonly unknown[], field: Pick<Field, 'decimal'>): string {
  const printed = values.map((value) => (typeof value === 'number' ? printNumber(field, value) : String(value)));
  const different = [...new Set(printed)];
  const shown = different.slice(0, MAX_VALUES);
  return (shown.length < different.length ? [...shown, '…'] : shown).join(SEPARATOR);
}
