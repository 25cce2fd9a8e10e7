import type { SchemaObject } from 'openapi3-ts/oas31';
import { LOT_SCHEMA } from '../asset-types/service-fields.js';
import { MAX_MEMBERS } from '../assets/group-change.js';
import { closed, ref } from './schema-parts.js';

const listOf = (name: string): SchemaObject => ({
  type: 'array',
  minItems: 1,
  maxItems: MAX_MEMBERS,
  items: ref(name),
});

/** A PATCH of several assets, and its answer. */
export const GROUP_SCHEMAS: Record<string, SchemaObject> = {
  GroupAnswer: closed({ data: listOf('Asset') }),
  GroupChange: { type: 'object', properties: { data: listOf('GroupMember') }, required: ['data'] },
  GroupMember: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'Of the asset; each may be named once' },
      etag: { type: 'string', description: 'The ETag that the asset must have, with its quotes or without them' },
      status: { type: 'string' },
      relatedLot: { ...LOT_SCHEMA, type: ['string', 'null'] },
    },
    required: ['id'],
    description: 'What is to change of one asset: beside `id` and `etag` the members of AssetPatch',
  },
};
