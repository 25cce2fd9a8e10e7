import { closed, text } from './schema-parts.js';

/** The description of the service. */
export const SPORE = closed(
  {
    name: text,
    version: text,
    formats: { type: 'array', items: text },
    asset_types: { type: 'array', items: text },
    limits: closed({ listing: { type: 'integer' }, body_bytes: { type: 'integer' } }),
    methods: { type: 'object' },
    feed_epoch: { ...text, description: 'Left out while the database has not been reached yet' },
    log: {
      ...closed({
        origin: { ...text, description: 'Its name, and the epoch of the feed' },
        publicKey: { ...text, description: 'The first of them' },
        publicKeys: {
          type: 'array',
          items: text,
          minItems: 1,
          description: 'Verifier keys as signed-note writes them',
        },
      }),
      description: 'Where there is a log of public states',
    },
  },
  ['feed_epoch', 'log'],
);
