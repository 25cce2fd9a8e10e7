import { API_PREFIX } from '../http/api-paths.js';
import type { Html } from './html.js';
import { jsonLd } from './structured-data.js';
import { FREQUENCIES } from '../platform/config/publisher-parsers.js';
import type { Publisher } from '../platform/config/config.js';
import { publisherName } from './publisher.js';
import { TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

/** An inline context needs no request, and its prefixes keep the page small. */
const CONTEXT = {
  '@vocab': 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  type: 'https://www.iana.org/assignments/media-types/',
};

const GZIP = { compressFormat: { '@id': 'type:application/gzip' } };

const FREQUENCY = 'http://publications.europa.eu/resource/authority/frequency/';

/**
 * Metadata that open data portals harvest: the registry as a data set, inside a catalogue if the publisher is set, which DCAT-AP requires
 * of a catalogue. Source: W3C DCAT 3, DCAT-AP 3.0.0.
 */
export function catalogData(context: PageContext): Html {
  const { base, language, publisher } = context;
  const { registry, tagline } = TEXTS[language];
  const described = { 'dct:title': registry, 'dct:description': tagline };
  const details = { ...published(context), distribution: distributions(context) };
  const dataset = { '@type': 'Dataset', '@id': `${base}/`, ...described, ...details };
  const name = publisherName(publisher, language);
  if (name === undefined) return jsonLd({ '@context': CONTEXT, ...dataset });
  const agent = { '@id': publisher.publisherUrl ?? `${base}/#publisher` };
  return jsonLd({
    '@context': CONTEXT,
    '@type': 'Catalog',
    '@id': `${base}/#catalog`,
    ...described,
    'dct:publisher': { '@type': 'foaf:Agent', ...agent, 'foaf:name': name },
    dataset: { ...dataset, 'dct:publisher': agent },
  });
}

/** The contact and the frequency of updates, as configured. */
function published({ publisher, language }: PageContext): object {
  const { publisherContact, updateFrequency } = publisher;
  const name = publisherName(publisher, language);
  const [kind, uri] = [publisherContact?.startsWith('mailto:') ? 'hasEmail' : 'hasURL', publisherContact];
  return {
    contactPoint: uri && { '@type': 'vcard:Kind', 'vcard:fn': name, [`vcard:${kind}`]: { '@id': uri } },
    'dct:accrualPeriodicity': updateFrequency && { '@id': FREQUENCY + FREQUENCIES[updateFrequency] },
  };
}

/** The files with all data, and the API. */
function distributions({ base, publisher }: PageContext): object[] {
  const api = `${base}/${API_PREFIX}`;
  const assets = { '@id': `${api}/assets` };
  const snapshot = `${api}/assets/snapshot`;
  const endpointDescription = { '@id': `${api}/openapi.json` };
  const license = licenceOf(publisher);
  return [
    // JSON Lines has no registered media type.
    { ...file('JSON Lines', `${snapshot}.jsonl.gz`), ...GZIP, ...license },
    { ...file('CSV', `${snapshot}.csv.gz`, 'text/csv'), ...GZIP, ...license },
    { ...file('Atom', `${base}/changes.atom`, 'application/atom+xml'), ...license },
    {
      '@type': 'Distribution',
      'dct:title': 'API',
      accessURL: assets,
      accessService: { '@type': 'DataService', 'dct:title': 'API', endpointURL: assets, endpointDescription },
      ...license,
    },
  ];
}

function licenceOf({ licence, termsUrl }: Publisher): object {
  return { 'dct:license': licence && { '@id': licence.url }, 'dct:rights': termsUrl && { '@id': termsUrl } };
}

function file(format: string, address: string, mediaType?: string): object {
  const at = { '@id': address };
  const type = mediaType && { '@id': `type:${mediaType}` };
  return { '@type': 'Distribution', 'dct:title': format, accessURL: at, downloadURL: at, mediaType: type };
}
