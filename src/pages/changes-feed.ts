import type { ReadAsset } from '../database/readers/asset-row.js';
import { API_PREFIX } from '../http/api-paths.js';
import { truncate } from '../platform/text/truncate.js';
import type { AssetViewModel } from './asset-view-model.js';
import { showChange } from './changed-values.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { linkToFeed, linkToList } from './list-links.js';
import type { Condition } from './page-query.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { money } from './shown-values.js';
import { TEXTS } from './texts.js';
import { type ChangeParts, changeLines, hasMoved } from './timeline.js';
import type { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

const MAX_TITLE_BYTES = 500;
/** Bytes of old and new values; a longer change is shown by the names of its fields. */
const MAX_CONTENT_BYTES = 1_500;
/** Ids have the project's name, because the address may change (RFC 4151). */
const TAG = 'tag:asset-registry,2026:';

/** The search that the Atom feed is about. */
interface FeedSubject {
  /** Empty for the changes of all assets. */
  conditions: readonly Condition[];
  /** The conditions in one line. */
  summary: string;
  /** Instant of the newest change, in microseconds. */
  updatedUs: number;
  /** Cursor of the next page (RFC 5005); undefined on the last one. */
  next: string | undefined;
  /** The prefix of assetIDs, which identifies the registry. */
  registry: string;
}

/** The newest changes as an Atom feed. Source: RFC 4287. */
export function changesFeed(
  entries: readonly Html[],
  subject: FeedSubject,
  context: PageContext,
  times: ShownTimes,
): string {
  const texts = TEXTS[context.language];
  const site = siteOf(context);
  const { conditions, summary, updatedUs, registry, next } = subject;
  const offset = context.query.get('offset') || undefined;
  const list = conditions.length === 0 ? linkTo(context, '/') : linkToList(context, conditions);
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${context.language}">
      <id>${TAG}${registry}${linkToFeed({ ...context, root: '', hasChosen: false }, conditions)}</id>
      <title>${texts.registry}: ${summary === '' ? texts.newestChanges : shortened(summary, MAX_TITLE_BYTES)}</title>
      <updated>${times.print(updatedUs)}</updated>
      <author><name>${texts.registry}</name></author>
      <link rel="self" type="application/atom+xml" href="${site}${linkToFeed(context, conditions, offset)}" />
      ${next !== undefined && html`<link rel="next" type="application/atom+xml" href="${site}${linkToFeed(context, conditions, next)}" />`}
      <link rel="alternate" type="text/html" href="${site}${list}" />
      ${entries}</feed
    > `;
  return feed.text;
}

/** A change in both languages. */
export interface ShownChange
  extends
    Pick<ReadAsset, 'id' | 'assetId' | 'status' | 'owner' | 'modifiedUs'>,
    Pick<AssetViewModel, 'title' | 'state' | 'typeLabels' | 'value'> {
  /** Old and new values as HTML. */
  content: Readonly<Record<Language, string>>;
}

/** @param parts whose history begins with the change and the one before it */
export function shownOf(parts: ChangeParts, times: ShownTimes): ShownChange {
  const { asset, title, state, typeLabels, value } = parts.page;
  const { id, assetId, status, owner, modifiedUs } = asset;
  // One byte more than is shown, so that `shortened` adds an ellipsis.
  const beginning = truncate(title, MAX_TITLE_BYTES + 1);
  const content = { uk: contentOf(parts, 'uk', times), en: contentOf(parts, 'en', times) };
  return { id, assetId, status, owner, modifiedUs, title: beginning, state, typeLabels, value, content };
}

function contentOf(parts: ChangeParts, language: Language, times: ShownTimes): string {
  const { page, history } = parts;
  const [now, before] = history;
  const texts = TEXTS[language];
  // The history may have been removed by an operator.
  if (now?.modifiedUs !== page.asset.modifiedUs) return '';
  if (before === undefined) return html`<div>${texts.published}</div>`.text;
  const labelOf = (status: string): string => page.stateOf(status)?.labels[language] ?? status;
  const move = hasMoved(history, 0) && showChange(texts.state, [labelOf(before.status), labelOf(now.status)]);
  return html`${move}${changeLines(parts, 0, { language, times }, new ByteBudget(MAX_CONTENT_BYTES))}`.text;
}

/** An entry of the Atom feed, for one change of an asset. */
export function changeEntry(change: ShownChange, context: PageContext, times: ShownTimes): Html {
  const { language } = context;
  const site = siteOf(context);
  const { id, assetId, status, owner, modifiedUs, value } = change;
  const changed = times.print(modifiedUs);
  const state = change.state?.labels[language] ?? status;
  const summary = [state, change.typeLabels[language], assetId, value && money(value.amount, value.currency, language)];
  return html`<entry>
    <id>${TAG}${id}/${modifiedUs}</id>
    <title>${shortened(change.title, MAX_TITLE_BYTES)}</title>
    <updated>${changed}</updated>
    <author><name>${owner}</name></author>
    <category term="${status}" label="${state}" />
    <link rel="alternate" type="text/html" href="${site}${linkTo(context, `/assets/${assetId}`)}" />
    <link
      rel="related"
      type="application/json"
      href="${context.base}/${API_PREFIX}/assets/${id}?at=${encodeURIComponent(changed)}"
    />
    <summary>${summary.filter(Boolean).join(' · ')}</summary>
    <content type="html">${change.content[language]}</content>
  </entry> `;
}

function siteOf({ base, root }: PageContext): string {
  return base.slice(0, base.length - root.length);
}
