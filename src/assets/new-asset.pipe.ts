import { Injectable, type PipeTransform } from '@nestjs/common';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { fieldsOf } from '../asset-types/fields.js';
import { lifecycleOf, mayCreateWith, STANDARD_LIFECYCLE } from '../asset-types/lifecycle.js';
import { type FieldFault, namesToRead, readFields } from '../asset-types/fields-json.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import { fieldsInvalid, fieldsNotWritable } from '../platform/errors/errors.js';
import type { Envelope } from '../http/envelope.js';
import { unknownStatus, unknownType } from './refusals.js';

/** A valid body of POST. */
export interface NewAsset {
  type: AssetType;
  /** A valid instance of the type's DTO. */
  fields: object;
}

/** Service fields that a POST may not set. */
const SET_LATER = [...SERVICE_FIELDS].filter((field) => field !== 'assetType' && field !== 'status');

type Data = Record<string, unknown>;

/** Parses the data of a POST by the rules of its asset type: 403 for fields that the broker may not set, then 422 for every faulty field. */
@Injectable()
export class NewAssetPipe implements PipeTransform<Envelope, NewAsset> {
  private readonly othersByType = new Map<AssetType, readonly string[]>();

  constructor(private readonly types: AssetTypes) {}

  /** @throws ApiError 403, 422 */
  transform(envelope: Pick<Envelope, 'data'>): NewAsset {
    const data = envelope.data as Data;
    const type = this.types.find(data['assetType']);
    const lifecycle = type === undefined ? STANDARD_LIFECYCLE : lifecycleOf(type);
    const status = data['status'] === undefined ? lifecycle.initial : data['status'];
    const isState = typeof status === 'string' && Object.hasOwn(lifecycle.states, status);
    const moves = isState && status !== lifecycle.initial;
    const refused = [...(moves ? ['status'] : []), ...this.refusedFields(type, data)];
    if (refused.length > 0) throw fieldsNotWritable(refused);
    const statusFaults = isState ? [] : [unknownStatus(lifecycle)];
    if (type === undefined) throw fieldsInvalid([this.typeFault(data), ...statusFaults, ...this.commonFaults(data)]);
    const { fields, faults } = readFields(type.dto, data, SERVICE_FIELDS);
    const together = faults.length > 0 ? [] : (type.check?.(fields, lifecycle.initial) ?? []);
    const allFaults = [...statusFaults, ...faults, ...together];
    if (allFaults.length > 0) throw fieldsInvalid(allFaults);
    return { type, fields };
  }

  /** Fields that only the registry or another actor may set. */
  private refusedFields(type: AssetType | undefined, data: Data): string[] {
    const others = type === undefined ? [] : this.fieldsOfOthers(type);
    return [...SET_LATER, ...others].filter((field) => Object.hasOwn(data, field));
  }

  /** The type's own fields that the owner may not write in the state in which assets are created. */
  private fieldsOfOthers(type: AssetType): readonly string[] {
    let others = this.othersByType.get(type);
    if (others === undefined) {
      const own = fieldsOf(type.dto);
      others = [...own.keys()].filter((field) => !mayCreateWith(lifecycleOf(type), field, own));
      this.othersByType.set(type, others);
    }
    return others;
  }

  private typeFault(data: Data): FieldFault {
    const missing = data['assetType'] === undefined;
    return missing ? { name: 'assetType', description: 'This field is required' } : unknownType(this.types.installed);
  }

  /**
   * Finds the faults of an asset of unknown type, so that one answer lists them all: those that it would have in every installed type. Without
   * an assetType, those of `basic`.
   */
  private commonFaults(data: Data): FieldFault[] {
    const basic = this.types.find('basic');
    const candidates = data['assetType'] === undefined && basic !== undefined ? [basic] : this.types.installed;
    const known = new Set([...SERVICE_FIELDS, ...candidates.flatMap(({ dto }) => [...fieldsOf(dto).keys()])]);
    const read = Object.fromEntries(namesToRead(data, (name) => known.has(name)).map((name) => [name, data[name]]));
    const [first = [], ...others] = candidates.map(({ dto }) => readFields(dto, read, SERVICE_FIELDS).faults);
    return first.filter(({ name }) => others.every((faults) => faults.some((fault) => fault.name === name)));
  }
}
