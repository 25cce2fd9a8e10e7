import { regionLabel } from '../search/region-labels.js';
import type { JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import { showCode, type DisplayOptions } from './display-options.js';
import { TEXTS } from './texts.js';
import { written } from './written.js';

/*
 * The forms of the parts that types share: where something is, what it is, and whose.
 */

type Texts = Record<string, string | undefined>;

/** A telephone as it is dialled; whatever else may stand between its digits is for people. */
const DIALLED = /^\+?\d{3,15}$/;
const BETWEEN_NUMBERS = /[,;]\s*/;
const MAX_NUMBERS = 5;
const BETWEEN_DIGITS = /[\s().\u00a0-]/g;

/** An address as it is written on a letter, with a link to a map where the operator has chosen a site with maps. */
export function showAddress(address: JsonObject, display: DisplayOptions): Html {
  const { streetAddress, locality, region = '', postalCode, countryName } = address as Texts;
  const last = [postalCode, countryName].filter(Boolean).join(' ');
  // A city that is a region of its own is named once.
  const within = [streetAddress, locality].filter((line) => line !== region);
  const lines = [...new Set([...within, regionLabel(region, display.language), last])].filter(
    (line): line is string => line !== undefined && line !== '',
  );
  return html`<address>
      ${lines.map((line, i) => html`${i > 0 && html`<br />`}${written(line, display.budget.shorten(line), display.language)}`)}
    </address>
    ${showMapLink(lines, display)}`;
}

function showMapLink(lines: readonly string[], { mapSearchUrl, budget, language }: DisplayOptions): Html | false {
  if (mapSearchUrl === undefined) return false;
  const address = encodeURIComponent(lines.join(', ').toWellFormed());
  const link = linkAway(
    mapSearchUrl.replaceAll('{address}', () => address),
    TEXTS[language].map,
  );
  return budget.reserve(Buffer.byteLength(link.text)) && link;
}

export function showClassification(classification: JsonObject, { budget, language }: DisplayOptions): Html {
  const { scheme, id, description = '' } = classification as Texts;
  return html`${written(description, budget.shorten(description), language)} ${showCode([scheme, id], budget)}`;
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
  // An extension is no number of its own.
  const areAll = numbers.length <= MAX_NUMBERS && numbers.every(({ dialled }) => DIALLED.test(dialled));
  const shown = areAll
    ? numbers.map(
        ({ text, dialled }, i) => html`${i > 0 && ', '}<a href="tel:${dialled}"><bdi>${budget.shorten(text)}</bdi></a>`,
      )
    : html`<bdi>${budget.shorten(telephone)}</bdi>`;
  return html`${written(name, budget.shorten(name), language)}<br />${shown}`;
}

/**
 * A web address without a user name before its host, and without backslashes and spaces, which browsers read as something else:
 * `https://bank.ua@evil.example/` and `https://evil.example\.bank.ua/` lead to evil.example.
 */
const CLEAR_ADDRESS = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/i;

/** Shows an address as a link where it leads to the host that people read in it, else as text. @param name shown instead of the address */
export function showLink(uri: string, { budget }: DisplayOptions, name?: string): Html {
  const isLink = CLEAR_ADDRESS.test(uri) && URL.canParse(uri) && budget.reserve(Buffer.byteLength(uri));
  return isLink ? linkAway(uri, name ?? isolated(uri, budget)) : isolated(uri, budget);
}

function isolated(uri: string, budget: DisplayOptions['budget']): Html {
  return html`<bdi>${budget.shorten(uri)}</bdi>`;
}

/** A link to another site, which is not told where the link stood. */
export function linkAway(uri: string, name: string | Html): Html {
  return html`<a href="${uri}" rel="external nofollow noopener noreferrer">${name}</a>`;
}
