import { ASSET, NEW_ASSET, PATCH } from '../floor/asset-schema.js';

const text = { type: 'string' };
const token = { type: 'object', properties: { token: text } };
const page = { type: 'object', properties: { offset: text, path: text, uri: text } };
/** A whole asset, or the fields that `opt_fields` selects. */
const entry = { type: 'object', properties: ASSET.properties };

const objectOf = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Fastify's route schemas: for validation and for its serializers. */
export const READ = { response: { 200: objectOf({ data: ASSET }) } };
export const LIST = {
  querystring: {
    type: 'object',
    properties: {
      offset: { ...text, default: '' },
      limit: { ...text, pattern: '^[1-9][0-9]*$', default: '100' },
      opt_fields: text,
    },
  },
  response: { 200: objectOf({ next_page: page, data: { type: 'array', items: entry } }) },
};
export const CREATE = {
  body: objectOf({ data: NEW_ASSET }),
  response: { 201: objectOf({ access: token, data: ASSET }) },
};
export const CHANGE = { body: objectOf({ data: PATCH }), response: { 200: objectOf({ data: ASSET }) } };
