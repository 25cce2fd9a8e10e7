import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../../asset-types/asset-types.js';
import { BasicAsset } from '../../asset-types/basic/basic.dto.js';
import type { DtoClass } from '../../asset-types/fields.js';
import type { Labels } from '../../asset-types/labels.js';
import { lifecycleOf } from '../../asset-types/lifecycle.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { type ShownField, shownFieldsOf, valuesAt } from '../csv/columns.js';
import type { CellContext } from './cells.js';
import {
  ASSET,
  type AssetList,
  assetColumns,
  headingOf,
  itemColumns,
  LIST,
  listsOf,
  type RowValues,
  rowOf,
  serviceColumn,
  type SheetColumn,
  STATE_WORD,
  TEXT,
  TYPE_WORD,
} from './sheet-columns.js';
import type { Row } from './workbook.js';

type JsonObject = Readonly<Record<string, unknown>>;

export interface SheetContext {
  language: keyof Labels;
  /** The address of an asset's page. */
  linkOf: (assetId: string) => string;
}

/** Prints assets, and the members of their lists, as rows of two sheets. */
@Injectable()
export class AssetSheets {
  private readonly assetColumns: readonly SheetColumn[];
  private readonly itemColumns: readonly SheetColumn[];
  private readonly parts = new Map<DtoClass, DtoParts>();

  constructor(
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {
    this.assetColumns = assetColumns(types.installed);
    this.itemColumns = itemColumns(types.installed);
  }

  headings(language: keyof Labels): Record<'assets' | 'items', string[]> {
    const print = (columns: readonly SheetColumn[]) => columns.map(({ labels }) => headingOf(labels, language));
    return { assets: print(this.assetColumns), items: print(this.itemColumns) };
  }

  assetRow(asset: ReadAsset, context: SheetContext): Row {
    const { assetType, status, owner, createdUs, modifiedUs, relatedLot } = asset;
    const { language } = context;
    const type = this.types.find(assetType);
    const words = {
      [TYPE_WORD as string]: type?.labels[language] ?? assetType,
      [STATE_WORD as string]: (type && lifecycleOf(type).states[status]?.labels[language]) ?? status,
    };
    const [date, dateModified] = [this.time.print(createdUs), this.time.print(modifiedUs)];
    const common = { id: asset.id, assetID: asset.assetId, assetType, status, owner, date, dateModified, relatedLot };
    const row = new Map([
      ...Object.entries(words).map(([name, word]) => [name, { values: [word], field: TEXT }] as const),
      ...Object.entries(common).map(([name, value]) => {
        const values = value === null ? [] : [value];
        return [name, { values, field: serviceColumn(name).field }] as const;
      }),
      ...valuesOf(this.partsOf(asset).fields, parse(asset)),
    ]);
    return rowOf(this.assetColumns, row, this.cellContext(asset, context));
  }

  /** Whether the asset's type has lists. */
  mayHaveItems(asset: ReadAsset): boolean {
    return this.partsOf(asset).lists.length > 0;
  }

  itemRows(asset: ReadAsset, context: SheetContext): Row[] {
    const data = parse(asset);
    const cells = this.cellContext(asset, context);
    return this.partsOf(asset).lists.flatMap(({ list, fields }) => {
      const name = headingOf(list.labels, context.language);
      const columns = { assetID: asset.assetId, [ASSET as string]: asset.id, [LIST as string]: name };
      const common = Object.entries(columns).map(
        ([column, value]) => [column, { values: [value], field: TEXT }] as const,
      );
      return membersOf(data, list).map((member) =>
        rowOf(this.itemColumns, new Map([...common, ...valuesOf(fields, member)]), cells),
      );
    });
  }

  private cellContext({ assetId }: ReadAsset, { language, linkOf }: SheetContext): CellContext {
    return { language, time: this.time, link: linkOf(assetId) };
  }

  /** Falls back to `basic` for a type that is no longer installed, because types usually extend it. */
  private partsOf({ assetType }: ReadAsset): DtoParts {
    const dto = this.types.find(assetType)?.dto ?? BasicAsset;
    const lists = () => listsOf(dto).map((list) => ({ list, fields: shownFieldsOf(list.dto) }));
    const parts = this.parts.get(dto) ?? { fields: shownFieldsOf(dto), lists: lists() };
    this.parts.set(dto, parts);
    return parts;
  }
}

interface DtoParts {
  fields: readonly ShownField[];
  lists: readonly { list: AssetList; fields: readonly ShownField[] }[];
}

type ColumnValues = [string, NonNullable<ReturnType<RowValues['get']>>];

function parse({ body }: ReadAsset): unknown {
  return JSON.parse(body.toString());
}

function valuesOf(fields: readonly ShownField[], data: unknown): ColumnValues[] {
  return fields.map(({ column, names, field }) => [column, { values: valuesAt(data, names), field }]);
}

function membersOf(data: unknown, { names }: AssetList): unknown[] {
  const found = names.reduce<unknown>((part, name) => (part as JsonObject | undefined)?.[name], data);
  return Array.isArray(found) ? found : [];
}
