import type { AssetType } from '../asset-types/asset-type.js';
import { type AssetTypes } from '../asset-types/asset-types.js';
import { type DtoClass, type Field, fieldsOf } from '../asset-types/fields.js';
import type { Labels } from '../asset-types/labels.js';
import { type Lifecycle, lifecycleOf, type State } from '../asset-types/lifecycle.js';
import { SERVICE_FIELD_DESCRIPTIONS } from '../asset-types/service-fields.js';
import { Address, Classification, Custodian, Value } from '../asset-types/shared/parts.dto.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { countryLabel, regionLabel } from '../search/region-labels.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** An asset with the labels, fields and lifecycle of its type. If the type is not installed, names replace labels. */
export class AssetViewModel {
  /** The broker's fields. */
  readonly values: JsonObject;
  private readonly type: AssetType | undefined;

  constructor(
    readonly asset: ReadAsset,
    types: AssetTypes,
  ) {
    this.values = JSON.parse(asset.body.toString()) as JsonObject;
    this.type = types.find(asset.assetType);
  }

  get title(): string {
    const { title } = this.values;
    return typeof title === 'string' && title.trim() !== '' ? title : this.asset.assetId;
  }

  /** The value; undefined if its type has no such field, or a part of it was erased. */
  get value(): Value | undefined {
    const value: Partial<Value> | undefined = this.ofDto(Value);
    return value?.amount === undefined || value.currency === undefined ? undefined : (value as Value);
  }

  get custodian(): Custodian | undefined {
    return this.ofDto(Custodian);
  }

  get address(): Address | undefined {
    return this.ofDto(Address);
  }

  /** The items of an asset such as a compound: the first list of objects with a classification. */
  get items(): { field: Field; values: readonly JsonObject[] } | undefined {
    const [name, field] = [...this.fields].find(([, one]) => one.list === true && isListOfItems(one)) ?? [];
    const values = name === undefined ? undefined : this.values[name];
    return field !== undefined && Array.isArray(values) ? { field, values: values as JsonObject[] } : undefined;
  }

  /** The address of the asset or of its first item in one line; the region in the reader's language. */
  locationIn(language: keyof Labels): string | undefined {
    const address = this.address ?? (this.items?.values[0]?.['address'] as Partial<Address> | undefined);
    if (address === undefined) return undefined;
    const { streetAddress, locality, region = '', countryName } = address;
    // Kyiv is both a city and a region: name it once.
    const within = [locality, streetAddress].filter((line) => line !== region);
    const lines = [...new Set([regionLabel(region, language), ...within])].filter(Boolean);
    return lines.join(', ') || (countryName && countryLabel(countryName, language));
  }

  /** The name of the first field with this shared DTO. */
  nameOf(dto: DtoClass): string | undefined {
    return [...this.fields].find(([, { nested, list }]) => nested?.() === dto && list !== true)?.[0];
  }

  private ofDto<Dto extends object>(dto: DtoClass<Dto>): Dto | undefined {
    const name = this.nameOf(dto);
    return name === undefined ? undefined : (this.values[name] as Dto | undefined);
  }

  get typeLabels(): Labels {
    return this.type?.labels ?? sameInBoth(this.asset.assetType);
  }

  get hasType(): boolean {
    return this.type !== undefined;
  }

  /** Fields in the order of the type. */
  get fields(): ReadonlyMap<string, Field> {
    return this.type === undefined ? new Map() : fieldsOf(this.type.dto);
  }

  get state(): State | undefined {
    return this.stateOf(this.asset.status);
  }

  get isDeleted(): boolean {
    return this.asset.status === 'deleted';
  }

  /** Undefined if its type is not installed. */
  get lifecycle(): Lifecycle | undefined {
    return this.type && lifecycleOf(this.type);
  }

  stateOf(status: string): State | undefined {
    return this.lifecycle?.states[status];
  }

  /** @param field of the type or of every asset */
  labelsOf(field: string): Labels {
    return this.fields.get(field)?.labels ?? SERVICE_FIELD_DESCRIPTIONS[field]?.labels ?? sameInBoth(field);
  }
}

function isListOfItems({ nested }: Field): boolean {
  return nested !== undefined && fieldsOf(nested()).get('classification')?.nested?.() === Classification;
}

function sameInBoth(name: string): Labels {
  return { uk: name, en: name };
}
