import type { JsonObject } from './asset-on-page.js';
import { type Html, html } from './html.js';
import { showCode, type Showing } from './showing.js';
import { TEXTS } from './texts.js';

/*
 * The forms of the parts that types share: where something is, what it is, and whose.
 */

type Texts = Record<string, string | undefined>;

/** A telephone as it is dialled; whatever else may stand between its digits is for people. */
const DIALLED = /^\+?\d{3,15}$/;
const BETWEEN_NUMBERS = /[,;]\s*/;
const MOST_NUMBERS = 5;
const BETWEEN_DIGITS = /[\s().\u00a0-]/g;

/** An address as it is written on a letter, with a link to a map where the operator has chosen a site with maps. */
export function showAddress(address: JsonObject, showing: Showing): Html {
  const { streetAddress, locality, region, postalCode, countryName } = address as Texts;
  const last = [postalCode, countryName].filter(Boolean).join(' ');
  // A city that is a region of its own is named once.
  const lines = [...new Set([streetAddress, locality, region, last])].filter(
    (line): line is string => line !== undefined && line !== '',
  );
  return html`<address>
      ${lines.map((line, i) => html`${i > 0 && html`<br />`}<bdi>${showing.room.shorten(line)}</bdi>`)}
    </address>
    ${showMapLink(lines, showing)}`;
}

function showMapLink(lines: readonly string[], { mapSearchUrl, room, language }: Showing): Html | false {
  if (mapSearchUrl === undefined) return false;
  const address = encodeURIComponent(lines.join(', ').toWellFormed());
  const link = linkAway(
    mapSearchUrl.replaceAll('{address}', () => address),
    TEXTS[language].map,
  );
  return room.reserve(Buffer.byteLength(link.text)) && link;
}

export function showClassification(classification: JsonObject, { room }: Showing): Html {
  const { scheme, id, description = '' } = classification as Texts;
  return html`<bdi>${room.shorten(description)}</bdi> ${showCode([scheme, id], room)}`;
}

export function showIdentifier(identifier: JsonObject, showing: Showing): Html {
  const { scheme, id, uri } = identifier as Texts;
  const { link } = TEXTS[showing.language];
  return html`${showCode([scheme, id], showing.room)} ${uri !== undefined && showLink(uri, showing, link)}`;
}

export function showContact(contact: JsonObject, { room }: Showing): Html {
  const { name = '', telephone = '' } = contact as Texts;
  const numbers = telephone
    .split(BETWEEN_NUMBERS)
    .map((text) => ({ text, dialled: text.replaceAll(BETWEEN_DIGITS, '') }));
  // An extension is no number of its own.
  const areAll = numbers.length <= MOST_NUMBERS && numbers.every(({ dialled }) => DIALLED.test(dialled));
  const shown = areAll
    ? numbers.map(
        ({ text, dialled }, i) => html`${i > 0 && ', '}<a href="tel:${dialled}"><bdi>${room.shorten(text)}</bdi></a>`,
      )
    : html`<bdi>${room.shorten(telephone)}</bdi>`;
  return html`<bdi>${room.shorten(name)}</bdi><br />${shown}`;
}

/**
 * A web address without a user name before its host, and without backslashes and spaces, which browsers read as something else:
 * `https://bank.ua@evil.example/` and `https://evil.example\.bank.ua/` lead to evil.example.
 */
const CLEAR_ADDRESS = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/i;

/** Shows an address as a link where it leads to the host that people read in it, else as text. @param name shown instead of the address */
export function showLink(uri: string, { room }: Showing, name?: string): Html {
  const isLink = CLEAR_ADDRESS.test(uri) && URL.canParse(uri) && room.reserve(Buffer.byteLength(uri));
  return isLink ? linkAway(uri, name ?? isolated(uri, room)) : isolated(uri, room);
}

function isolated(uri: string, room: Showing['room']): Html {
  return html`<bdi>${room.shorten(uri)}</bdi>`;
}

/** A link to another site, which is not told where the link stood. */
function linkAway(uri: string, name: string | Html): Html {
  return html`<a href="${uri}" rel="external nofollow noopener noreferrer">${name}</a>`;
}
