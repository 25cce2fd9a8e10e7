import { API_PREFIXES } from '../http/api-paths.js';
import type { Html } from './html.js';
import { jsonLd } from './structured-data.js';
import { TEXTS } from './texts.js';
import type { Visit } from './visit.js';

/** Short names keep the page small; and nobody has to load a context. */
const CONTEXT = {
  '@vocab': 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  type: 'https://www.iana.org/assignments/media-types/',
};

const GZIP = { compressFormat: { '@id': 'type:application/gzip' } };

/** What catalogues of open data gather: the registry as one data set, with the files that have all of it, and its API. Source: W3C DCAT 3. */
export function catalogData({ base, language }: Visit): Html {
  const { registry, tagline } = TEXTS[language];
  const api = `${base}/${API_PREFIXES[0]}`;
  const snapshot = `${api}/assets/snapshot`;
  return jsonLd({
    '@context': CONTEXT,
    '@type': 'Dataset',
    '@id': `${base}/`,
    'dct:title': registry,
    'dct:description': tagline,
    distribution: [
      // No media type of JSON lines is registered.
      { ...file('JSON Lines', `${snapshot}.jsonl.gz`), ...GZIP },
      { ...file('CSV', `${snapshot}.csv.gz`, 'text/csv'), ...GZIP },
      file('Atom', `${base}/changes.atom`, 'application/atom+xml'),
      {
        '@type': 'Distribution',
        'dct:title': 'API',
        accessURL: { '@id': `${api}/assets` },
        accessService: { '@type': 'DataService', endpointDescription: { '@id': `${api}/openapi.json` } },
      },
    ],
  });
}

function file(format: string, address: string, mediaType?: string): object {
  const type = mediaType && { '@id': `type:${mediaType}` };
  return { '@type': 'Distribution', 'dct:title': format, downloadURL: { '@id': address }, mediaType: type };
}
