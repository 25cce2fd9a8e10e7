import { ID_SCHEMA, type JsonSchema } from './fields.js';
import type { Labels } from './labels.js';

/** A member of every asset, which no type may define. */
interface ServiceField {
  labels: Labels;
  /** The schema in answers; for `assetType` and `status` each type adds its names. */
  schema: JsonSchema;
  optional?: true;
}

const INSTANT = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}[+-]\\d{2}:\\d{2}$',
};

/** A lot of another system: 24 lower-case hex characters, formerly 32. Source: contract section 1. */
export const LOT_SCHEMA = { type: 'string', pattern: '^[0-9a-f]{24,32}$' } as const satisfies JsonSchema;

/** The registry's number, or an imported one with a longer prefix or the suffix of a server. */
const ASSET_ID_SCHEMA = {
  type: 'string',
  pattern: '^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*-\\d{4}-\\d{2}-\\d{2}-\\d{6,}(?:-[A-Za-z0-9]+)?$',
  maxLength: 40,
};

const REDACTED = {
  description: 'The erasures of the asset. A field named here may be missing, even if it is required.',
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    properties: { pointer: { type: 'string' }, reason: { type: 'string' }, at: INSTANT },
    required: ['pointer', 'reason', 'at'],
    additionalProperties: false,
  },
};

/** Members set by the service or the concierge. Source: contract section 1. */
export const SERVICE_FIELD_DESCRIPTIONS: Readonly<Record<string, ServiceField>> = {
  id: { labels: { uk: 'Ідентифікатор', en: 'Id' }, schema: ID_SCHEMA },
  assetID: { labels: { uk: 'Номер', en: 'Asset ID' }, schema: ASSET_ID_SCHEMA },
  assetType: { labels: { uk: 'Тип', en: 'Asset type' }, schema: { type: 'string' } },
  status: { labels: { uk: 'Стан', en: 'State' }, schema: { type: 'string' } },
  owner: { labels: { uk: 'Організатор', en: 'Broker' }, schema: { type: 'string', minLength: 1 } },
  date: { labels: { uk: 'Створено', en: 'Created' }, schema: INSTANT },
  dateModified: { labels: { uk: 'Змінено', en: 'Changed' }, schema: INSTANT },
  relatedLot: { labels: { uk: 'Лот', en: 'Related lot' }, schema: LOT_SCHEMA, optional: true },
  redacted: { labels: { uk: 'Вилучені відомості', en: 'Erased' }, schema: REDACTED, optional: true },
};

export const SERVICE_FIELDS: ReadonlySet<string> = new Set(Object.keys(SERVICE_FIELD_DESCRIPTIONS));

/** Service fields that a request may set. */
export const SET_BY_REQUESTS: ReadonlySet<string> = new Set(['assetType', 'status', 'relatedLot']);
