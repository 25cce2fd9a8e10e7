import type { SchemaObject } from 'openapi3-ts/oas31';
import { closed, text } from './schema-parts.js';

/** `access` of a request by an owner. */
export const SENT_ACCESS: SchemaObject = {
  properties: {
    token: { description: 'The owner token, a string; it may stand in the query or a header instead' },
  },
  description: 'Ignored where it is no object',
};

/** Schemas of the ways by which an asset goes to another broker. */
export const OWNERSHIP_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  TransferRequest: { type: 'object', properties: { access: SENT_ACCESS } },
  TransferAnswer: closed({
    access: closed({
      transfer: { ...text, pattern: '^[0-9a-f]{32}$', description: 'The transfer code, shown this once' },
    }),
    data: closed({ expires: { ...text, format: 'date-time', description: 'From then on the code is refused' } }),
  }),
  Takeover: {
    type: 'object',
    properties: {
      access: { type: 'object', properties: { transfer: { ...text, description: 'The transfer code' } } },
    },
    required: ['access'],
  },
};
