import type { AssetType } from '../../asset-types/asset-type.js';
import { type DtoClass, fieldsOf } from '../../asset-types/fields.js';
import type { Labels } from '../../asset-types/labels.js';
import { SERVICE_FIELD_DESCRIPTIONS } from '../../asset-types/service-fields.js';
import { columnsOf, shownFieldsOf } from '../csv/columns.js';
import { type CellContext, type CellField, cellOf, isInstant, textCell } from './cells.js';
import type { Row } from './workbook.js';

export interface SheetColumn {
  /** Key of its values in a row. */
  name: string;
  labels: readonly Labels[];
  /** Shows an instant as text: dates of spreadsheets have neither zone nor microseconds. */
  isExact?: true;
}

/** The values of a row, by column name. */
export type RowValues = ReadonlyMap<string, { values: readonly unknown[]; field: CellField }>;

/** A list of objects in an asset. */
export interface AssetList {
  names: readonly string[];
  labels: readonly Labels[];
  dto: DtoClass;
}

export const TEXT: CellField = { schema: { type: 'string' } };
/** Columns with the labels of types and states. */
export const [TYPE_WORD, STATE_WORD] = ['assetType.word', 'status.word'];
/** Columns of an item: its asset, and its list. */
export const [ASSET, LIST] = ['asset', 'list'];

const CODE: Labels = { uk: 'Код', en: 'Code' };
const EXACT: Labels = { uk: 'Точно', en: 'Exactly' };
const ASSET_LABELS: Labels = { uk: 'Ідентифікатор обʼєкта', en: 'Asset' };
const LIST_LABELS: Labels = { uk: 'Перелік', en: 'List' };

/** The columns of CSV, with labels before the codes of types and states, and the exact text after each instant. */
export function assetColumns(types: readonly AssetType[]): SheetColumn[] {
  const shown = new Map(types.flatMap(({ dto }) => withLabels(dto)).toReversed());
  return columnsOf(types).flatMap((name) => {
    const { labels, field } = shown.get(name) ?? serviceColumn(name);
    if (name === 'assetType')
      return [
        { name: TYPE_WORD, labels },
        { name, labels: [...labels, CODE] },
      ];
    if (name === 'status')
      return [
        { name: STATE_WORD, labels },
        { name, labels: [...labels, CODE] },
      ];
    return columnsOfField(name, labels, field);
  });
}

/** Columns of the members of all lists: the asset, then their fields. */
export function itemColumns(types: readonly AssetType[]): SheetColumn[] {
  const dtos = new Set(types.flatMap(({ dto }) => listsOf(dto)).map(({ dto }) => dto));
  const shown = new Map([...dtos].flatMap((dto) => withLabels(dto)).toReversed());
  const names = new Set([...dtos].flatMap((dto) => withLabels(dto)).map(([name]) => name));
  const fields = [...names].flatMap((name) => {
    const { labels, field } = shown.get(name) as ShownColumn;
    return columnsOfField(name, labels, field);
  });
  const { labels } = serviceColumn('assetID');
  return [
    { name: 'assetID', labels },
    { name: ASSET, labels: [ASSET_LABELS] },
    { name: LIST, labels: [LIST_LABELS] },
    ...fields,
  ];
}

interface ShownColumn {
  labels: readonly Labels[];
  field: CellField;
}

function withLabels(dto: DtoClass): [string, ShownColumn][] {
  return shownFieldsOf(dto).map(({ column, labels, field }) => [column, { labels, field }]);
}

export function serviceColumn(name: string): ShownColumn {
  const { labels, schema } = SERVICE_FIELD_DESCRIPTIONS[name] as (typeof SERVICE_FIELD_DESCRIPTIONS)[string];
  return { labels: [labels], field: { schema } };
}

function columnsOfField(name: string, labels: readonly Labels[], field: CellField): SheetColumn[] {
  const column = { name, labels };
  return isInstant(field) ? [column, { name, labels: [...labels, EXACT], isExact: true }] : [column];
}

/** The lists of a DTO and its nested objects, without lists inside lists. */
export function listsOf(dto: DtoClass, within: readonly DtoClass[] = []): AssetList[] {
  return [...fieldsOf(dto)].flatMap(([name, { nested, list, labels }]) => {
    const inner = nested?.();
    if (inner === undefined || within.includes(inner)) return [];
    if (list) return [{ names: [name], labels: [labels], dto: inner }];
    return listsOf(inner, [...within, dto]).map((one) => ({
      ...one,
      names: [name, ...one.names],
      labels: [labels, ...one.labels],
    }));
  });
}

/** `Value: amount`: only the first label, and abbreviations, begin with a capital. */
export function headingOf(labels: readonly Labels[], language: keyof Labels): string {
  const [first = '', ...more] = labels.map((label) => label[language]);
  const inner = more.map((text) => (/^\p{Lu}\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)));
  return [first, ...inner].join(': ');
}

export function rowOf(columns: readonly SheetColumn[], row: RowValues, context: CellContext): Row {
  return (at) =>
    columns
      .map(({ name, isExact }, i) => {
        const { values, field } = row.get(name) ?? { values: [], field: TEXT };
        if (!isExact) return cellOf(at(i), values, field, context);
        return values.length === 0 ? '' : textCell(at(i), values.join(' | '), context.link);
      })
      .join('');
}
