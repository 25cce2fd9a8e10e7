import { API_PREFIX } from '../http/api-paths.js';
import type { Html } from './html.js';
import { jsonLd } from './structured-data.js';
import { TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

/** Short names keep the page small; and nobody has to load a context. */
const CONTEXT = {
  '@vocab': 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  type: 'https://www.iana.org/assignments/media-types/',
};

const GZIP = { compressFormat: { '@id': 'type:application/gzip' } };

/**
 * What catalogues of open data gather: the registry as one data set, with the files that have all of it, and its API. Each has what the
 * portals of the EU ask of all. Source: W3C DCAT 3, DCAT-AP 3.0.0.
 */
export function catalogData({ base, language }: PageContext): Html {
  const { registry, tagline } = TEXTS[language];
  const api = `${base}/${API_PREFIX}`;
  const assets = { '@id': `${api}/assets` };
  const snapshot = `${api}/assets/snapshot`;
  const endpointDescription = { '@id': `${api}/openapi.json` };
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
        accessURL: assets,
        accessService: { '@type': 'DataService', 'dct:title': 'API', endpointURL: assets, endpointDescription },
      },
    ],
  });
}

function file(format: string, address: string, mediaType?: string): object {
  const at = { '@id': address };
  const type = mediaType && { '@id': `type:${mediaType}` };
  return { '@type': 'Distribution', 'dct:title': format, accessURL: at, downloadURL: at, mediaType: type };
}
