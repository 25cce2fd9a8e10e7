import { API_PREFIXES } from '../http/api-paths.js';
import { DOCS_PATH } from '../http/swagger-ui.js';
import type { Html } from './html.js';
import { jsonLd } from './structured-data.js';
import { TEXTS } from './texts.js';
import type { Visit } from './visit.js';

/** Short for the vocabularies. They stand here, so that nobody has to load a context. */
const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
};

const MEDIA_TYPES = 'https://www.iana.org/assignments/media-types';

const GZIP = { 'dcat:compressFormat': { '@id': `${MEDIA_TYPES}/application/gzip` } };

/** What catalogues of open data gather: the registry as one data set, the files with all of it, and its API. Source: W3C DCAT 3. */
export function catalogData({ base, language }: Visit): Html {
  const { registry, tagline } = TEXTS[language];
  const about = { 'dct:title': registry, 'dct:description': tagline, 'dct:language': language };
  const dataset = { '@id': `${base}/#assets` };
  return jsonLd({
    '@context': CONTEXT,
    '@id': `${base}/#catalog`,
    '@type': 'dcat:Catalog',
    ...about,
    'foaf:homepage': { '@id': `${base}/` },
    'dcat:dataset': {
      ...dataset,
      '@type': 'dcat:Dataset',
      ...about,
      'dcat:landingPage': { '@id': `${base}/` },
      'dcat:distribution': filesAt(base),
    },
    'dcat:service': {
      '@type': 'dcat:DataService',
      'dct:title': 'API',
      'dcat:endpointURL': { '@id': `${base}/${API_PREFIXES[0]}/assets` },
      'dcat:endpointDescription': { '@id': `${base}/${API_PREFIXES[0]}/openapi.json` },
      'foaf:page': { '@id': `${base}${DOCS_PATH}/` },
      'dcat:servesDataset': dataset,
    },
  });
}

function filesAt(base: string): object[] {
  const snapshot = `${base}/${API_PREFIXES[0]}/assets/snapshot`;
  return [
    // No media type of JSON lines is registered.
    { ...file('JSON Lines', `${snapshot}.jsonl.gz`), ...GZIP },
    { ...file('CSV', `${snapshot}.csv.gz`, 'text/csv'), ...GZIP },
    file('Atom', `${base}/changes.atom`, 'application/atom+xml'),
  ];
}

function file(format: string, address: string, mediaType?: string): object {
  return {
    '@type': 'dcat:Distribution',
    'dct:title': format,
    'dct:format': { '@type': 'dct:MediaTypeOrExtent', 'rdfs:label': format },
    'dcat:mediaType': mediaType && { '@id': `${MEDIA_TYPES}/${mediaType}` },
    'dcat:accessURL': { '@id': address },
    'dcat:downloadURL': { '@id': address },
  };
}
