import type { Publisher } from '../platform/config/config.js';
import { html, type Html } from './html.js';
import type { Language } from './language.js';
import type { PageContext } from './page-context.js';
import { TEXTS } from './texts.js';

export interface PublisherFact {
  label: string;
  value: string | Html;
}

/** The publisher, the contact and the licence, if they are set. */
export function publisherFacts({ publisher, language }: PageContext): PublisherFact[] {
  const texts = TEXTS[language];
  const { publisherUrl, publisherContact, licence } = publisher;
  const name = publisherName(publisher, language);
  const facts: PublisherFact[] = [];
  if (name !== undefined) facts.push({ label: texts.publisher, value: linkOut(publisherUrl, name) });
  if (publisherContact !== undefined) facts.push({ label: texts.contact, value: linkOut(publisherContact) });
  if (licence !== undefined) facts.push({ label: texts.licence, value: linkOut(licence.url, licence.name) });
  return facts;
}

export function publisherName({ publisherName: name, publisherNameEn }: Publisher, language: Language) {
  return language === 'en' ? (publisherNameEn ?? name) : name;
}

/** @param uri undefined: text without a link @param name undefined: the URI without its scheme */
export function linkOut(uri: string | undefined, name = uri): Html {
  const shown = html`<bdi>${name?.replace(/^(?:mailto:|https?:\/\/)/, '')}</bdi>`;
  return uri === undefined ? shown : html`<a href="${uri}">${shown}</a>`;
}
