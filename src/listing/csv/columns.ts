import type { AssetType } from '../../asset-types/asset-type.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import { type DtoClass, type Field, fieldsOf } from '../../asset-types/fields.js';
import { Address, Classification } from '../../asset-types/shared/parts.dto.js';

/** A field of one value that a column shows: in the asset, in an object of it, or in each member of a list. */
export interface ShownField {
  /** Names from the asset's root, with dots between them: `value.amount`. */
  column: string;
  names: readonly string[];
  field: Field;
}

/** Where a DTO is nested. */
interface Position {
  names: readonly string[];
  /** The DTOs around it: one may contain itself, and ends there. */
  within: readonly DtoClass[];
  isMember: boolean;
}

const ROOT: Position = { names: [], within: [], isMember: false };
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
export function shownFieldsOf(dto: DtoClass, { names, within, isMember }: Position = ROOT): ShownField[] {
  const isShown = !isMember || SHOWN_OF_MEMBERS.includes(dto);
  return [...fieldsOf(dto)].flatMap(([name, field]) => {
    const path = [...names, name];
    const around = [...within, dto];
    if (field.nested === undefined) return isShown ? [{ column: path.join('.'), names: path, field }] : [];
    if (around.includes(field.nested())) return [];
    return shownFieldsOf(field.nested(), { names: path, within: around, isMember: isMember || field.list === true });
  });
}
