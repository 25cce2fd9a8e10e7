import { countryLabel, regionLabel } from '../search/region-labels.js';
import type { JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import { showCode, type DisplayOptions } from './display-options.js';
import { TEXTS } from './texts.js';
import { brokerText } from './broker-text.js';

/*
 * Renderers of the DTOs that types share: addresses, classifications, identifiers, contacts.
 */

type Texts = Record<string, string | undefined>;

/** A telephone number without its separators. */
const DIALLED = /^\+?\d{3,15}$/;
const BETWEEN_NUMBERS = /[,;]\s*/;
const MAX_NUMBERS = 5;
const BETWEEN_DIGITS = /[\s().\u00a0-]/g;

/** An address as on a letter, with a link to a map if MAP_SEARCH_URL is set. */
export function showAddress(address: JsonObject, display: DisplayOptions): Html {
  const { streetAddress, locality, region = '', postalCode, countryName = '' } = address as Texts;
  const last = [postalCode, countryLabel(countryName, display.language)].filter(Boolean).join(' ');
  // Kyiv is both a city and a region: name it once.
  const within = [streetAddress, locality].filter((line) => line !== region);
  const lines = [...new Set([...within, regionLabel(region, display.language), last])].filter(
    (line): line is string => line !== undefined && line !== '',
  );
  return html`<address>
      ${lines.map((line, i) => html`${i > 0 && html`<br />`}${brokerText(line, display.budget.shorten(line), display.language)}`)}
    </address>
    ${showMapLink(lines, display)}`;
}

function showMapLink(lines: readonly string[], { mapSearchUrl, budget, language }: DisplayOptions): Html | false {
  if (mapSearchUrl === undefined) return false;
  const address = encodeURIComponent(lines.join(', ').toWellFormed());
  const link = linkToSite(
    mapSearchUrl.replaceAll('{address}', () => address),
    TEXTS[language].map,
  );
  return budget.reserve(Buffer.byteLength(link.text)) && link;
}

export function showClassification(classification: JsonObject, { budget, language }: DisplayOptions): Html {
  const { scheme, id, description = '' } = classification as Texts;
  return html`${brokerText(description, budget.shorten(description), language)} ${showCode([scheme, id], budget)}`;
}

export function showIdentifier(identifier: JsonObject, display: DisplayOptions): Html {
  const { scheme, id, uri } = identifier as Texts;
  const { link } = TEXTS[display.language];
  return html`${showCode([scheme, id], display.budget)} ${uri !== undefined && showLink(uri, display, link)}`;
}

export function showContact(contact: JsonObject, { budget, language }: DisplayOptions): Html {
  const { name = '', telephone = '' } = contact as Texts;
  const numbers = telephone
    .split(BETWEEN_NUMBERS)
    .map((text) => ({ text, dialled: text.replaceAll(BETWEEN_DIGITS, '') }));
  // A number with an extension is not split into links.
  const areNumbers = numbers.length <= MAX_NUMBERS && numbers.every(({ dialled }) => DIALLED.test(dialled));
  const shown = areNumbers
    ? numbers.map(
        ({ text, dialled }, i) => html`${i > 0 && ', '}<a href="tel:${dialled}"><bdi>${budget.shorten(text)}</bdi></a>`,
      )
    : html`<bdi>${budget.shorten(telephone)}</bdi>`;
  return html`${brokerText(name, budget.shorten(name), language)}<br />${shown}`;
}

/**
 * A web address without a user name before its host, and without backslashes and spaces, which browsers read as something else:
 * `https://bank.ua@evil.example/` and `https://evil.example\.bank.ua/` lead to evil.example.
 */
const CLEAR_ADDRESS = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/i;

/** Shows a web address as a link if it leads to the host that people read in it, else as text. @param name shown instead of the address */
export function showLink(uri: string, { budget }: DisplayOptions, name?: string): Html {
  const isLink = CLEAR_ADDRESS.test(uri) && URL.canParse(uri) && budget.reserve(Buffer.byteLength(uri));
  return isLink ? linkToSite(uri, name ?? isolated(uri, budget)) : isolated(uri, budget);
}

function isolated(uri: string, budget: DisplayOptions['budget']): Html {
  return html`<bdi>${budget.shorten(uri)}</bdi>`;
}

/** A link to another site, without a referrer. */
export function linkToSite(uri: string, name: string | Html): Html {
  return html`<a href="${uri}" rel="external nofollow noopener noreferrer">${name}</a>`;
}
