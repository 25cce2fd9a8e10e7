import { API_PREFIX } from '../http/api-paths.js';
import { truncate } from '../platform/text/truncate.js';
import type { AssetViewModel } from './asset-view-model.js';
import { Html } from './html.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

/** Maximum length of a title; a character takes at most six bytes. */
const MAX_CHARACTERS = 150;

/**
 * The asset in terms of schema.org: the thing, its dates and the address of its JSON. The Content-Security-Policy allows it, because JSON-LD
 * is data and not script.
 */
export function structuredData(page: AssetViewModel, { base, language }: PageContext, times: ShownTimes): Html {
  const { id, assetId, createdUs, modifiedUs } = page.asset;
  const name = truncate(page.title, MAX_CHARACTERS);
  const data = {
    '@context': 'https://schema.org',
    '@type': 'ItemPage',
    url: `${base}/assets/${assetId}`,
    inLanguage: language,
    dateCreated: times.print(createdUs),
    dateModified: times.print(modifiedUs),
    isPartOf: { '@type': 'WebSite', name: TEXTS[language].registry, url: `${base}/` },
    mainEntity: { '@type': 'Thing', name, identifier: assetId, additionalType: page.typeLabels[language] },
    encoding: {
      '@type': 'MediaObject',
      encodingFormat: 'application/json',
      contentUrl: `${base}/${API_PREFIX}/assets/${id}`,
    },
  };
  return jsonLd(data);
}

/** Escapes `<`, so that no value of a broker can end the element. */
export function jsonLd(data: object): Html {
  const json = JSON.stringify(data).replaceAll(
    /[<\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return new Html(`<script type="application/ld+json">${json}</script>`);
}
