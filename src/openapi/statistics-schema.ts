import type { SchemaObject } from 'openapi3-ts/oas31';
import { closed, text } from './schema-parts.js';

const count = { type: 'integer', minimum: 0 } as const;
const counts = { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } } as const;

/** `data` of the answer of /statistics. */
export const STATISTICS = closed({
  indexed_up_to: { ...text, format: 'date-time', description: 'Every change up to this instant is counted' },
  total: { ...count, description: 'Of the listed assets' },
  status: counts,
  assetType: counts,
  region: {
    ...counts,
    maxProperties: 500,
    description:
      'The most frequent: those of Ukraine by their usual name, others by their most frequent spelling; an asset counts in each of its regions',
  },
  value: {
    type: 'object',
    additionalProperties: closed({
      sum: { type: 'number', minimum: 0, description: 'Exact: it may have more digits than a double keeps' },
      count: { type: 'integer', minimum: 1 },
    }),
    description: 'By currency',
  },
  days: timesOf('date', String.raw`^\d{4}-\d{2}-\d{2}$`, 30),
  months: timesOf('month', String.raw`^\d{4}-\d{2}$`, 24),
});

/** The schema of the last days or months, the oldest first; none is left out. @param length how many there are */
function timesOf(name: string, pattern: string, length: number): SchemaObject {
  return {
    type: 'array',
    minItems: length,
    maxItems: length,
    items: closed({
      [name]: { ...text, pattern },
      created: { ...count, description: 'Listed assets that were created then' },
      changed: { ...count, description: 'Listed assets whose last change was then' },
    }),
    description: "The oldest first, the last one is that of today, in the registry's time zone",
  };
}
