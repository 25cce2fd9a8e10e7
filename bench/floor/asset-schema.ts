import { Ajv, type ValidateFunction } from 'ajv';

// oxlint-disable-next-line no-control-regex -- the pattern lists the control characters that a text must not contain
const TEXT = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$';
const text = (minLength: number, maxLength = 2_000) => ({ type: 'string', minLength, maxLength, pattern: TEXT });
const number = { type: 'number', minimum: 0, maximum: 1e15 };

const object = (required: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
});

const further = { postalCode: text(0), region: text(0), streetAddress: text(0), locality: text(0) };
const address = object({ countryName: text(1) }, further);
const identifier = object({ scheme: text(1), id: text(1) }, { uri: { ...text(1), format: 'web-url' } });
const contactPoint = object({ name: text(1), telephone: text(1) });

/** Required fields of the `basic` type. */
const REQUIRED = {
  title: text(1),
  classification: object({ scheme: text(1), id: text(1), description: text(1, 50_000) }),
  value: object(
    { currency: { enum: Intl.supportedValuesOf('currency') }, amount: number },
    { valueAddedTaxIncluded: { type: 'boolean', default: true } },
  ),
  unit: object({ code: text(1), name: text(1) }),
  quantity: number,
  address,
  assetCustodian: object({ name: text(1), identifier, contactPoint }, { address }),
};
const OPTIONAL = { description: text(0, 50_000) };
const service = { type: 'string' };
const BY_SERVICE = {
  id: service,
  assetID: service,
  status: service,
  owner: service,
  date: service,
  dateModified: service,
};

/** Fields that the owner may change. */
export const BROKER_FIELDS: ReadonlySet<string> = new Set(Object.keys({ ...REQUIRED, ...OPTIONAL }));

const assetType = { const: 'basic' };
/** `data` of a POST. */
export const NEW_ASSET = object({ assetType, ...REQUIRED }, OPTIONAL);
/** `data` of a PATCH. */
export const PATCH = object({}, { ...REQUIRED, ...OPTIONAL });
/** An asset in an answer. */
export const ASSET = object({ ...BY_SERVICE, assetType, ...REQUIRED }, { ...OPTIONAL, relatedLot: service });
export const FORMATS = {
  'web-url': (value: string): boolean => /^https?:\/\/[^\s/?#]\S*$/i.test(value) && URL.canParse(value),
};

const ajv = new Ajv({ allErrors: true, useDefaults: true, formats: FORMATS });
export const isNewAsset: ValidateFunction = ajv.compile(NEW_ASSET);
export const isAsset: ValidateFunction = ajv.compile(ASSET);
