import { API_PREFIX } from '../http/api-paths.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { linkToApi, linkToFeed } from './list-links.js';
import { relatedLinks } from './related-links.js';
import type { Condition } from './page-query.js';
import { showRedactions } from './redactions.js';
import type { DisplayOptions } from './display-options.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { showRaw } from './shown-raw.js';
import { money, showFields } from './shown-values.js';
import { statePill } from './state-pill.js';
import { structuredData } from './structured-data.js';
import { TEXTS } from './texts.js';
import { timeline, type TimelineParts } from './timeline.js';
import type { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

/** Bytes of a page's parts, which keep it below 30 KB together. */
const BYTES = { title: 2_000, description: 4_000, values: 8_400, raw: 4_500 };

const BYTES_IN_HEAD = 300;
/** The longest display name in Ukrainian is shown whole. */
const BYTES_OF_BROKER = 400;

/** What the page of an asset shows: as it is now, with its history, or as it was. */
type AssetPageParts = {
  page: AssetViewModel;
  /** Under which people know its broker, where that is not the account's name. */
  brokerName?: string | undefined;
  /** The asset as the API answers it. */
  json: string;
  /** Where it stands in the log of public states, once it is recorded; undefined where there is no log. */
  log?: { place: number | undefined } | undefined;
} & (
  | {
      /** Its public states, the newest first, up to MAX_READ of them and one more; none of what was never published. */
      history: readonly HistoryEntry[];
      changes: TimelineParts['changes'];
      past?: undefined;
    }
  | {
      /** Given where the state at an instant is asked for. `isNow`: the asset still has that state. */
      past: { isNow: boolean };
    }
);

/** The page of one asset. */
export class AssetPage {
  /** @param mapSearchUrl as the configuration has it */
  constructor(
    private readonly times: ShownTimes,
    private readonly mapSearchUrl: string | undefined,
  ) {}

  show(parts: AssetPageParts, context: PageContext): string {
    const { page } = parts;
    const { root, language } = context;
    const { id, assetId, status } = page.asset;
    const api = `${root}/${API_PREFIX}/assets/${id}`;
    const isPublished = parts.past !== undefined || parts.history.length > 0;
    const title = new ByteBudget(BYTES.title).shorten(page.title);
    const feed = isLasting(parts) && context.hasSearch ? linkToFeed(context, onlyIt(page)) : undefined;
    const head = html`<link rel="alternate" type="application/json" href="${api}${this.query(parts, '')}" />
      ${isLasting(parts) ? structuredData(page, context, this.times) : html`<meta name="robots" content="noindex" />`}`;
    const main = html`<article>
      ${this.pastBanner(parts, context)} ${this.banner(page, isPublished, context)}
      <p class="over">
        ${statePill(page, status, language)} <span>${page.typeLabels[language]}</span>
        <span class="code">${assetId}</span>
      </p>
      <h1><bdi>${title}</bdi></h1>
      ${this.facts(parts, context)} ${showRedactions(page, context)} ${context.hasSearch && relatedLinks(page, context)}
      ${isLasting(parts) && timeline({ ...parts, api }, context, this.times)} ${this.forPrograms(parts, context, api)}
    </article>`;
    const short = shortened(page.title, BYTES_IN_HEAD);
    const described = { title: html`${short} · ${assetId}`, description: summaryOf(page, language) };
    const address = isLasting(parts) ? `/assets/${assetId}` : undefined;
    return layout(context, { ...described, address, head, main, feed });
  }

  /** Where the JSON of this very state is. @param pretty the parameter of what people read, or nothing */
  private query({ page, past }: AssetPageParts, pretty: string): string {
    const at = past && `at=${encodeURIComponent(this.times.print(page.asset.modifiedUs))}`;
    const query = [at, pretty].filter(Boolean).join('&');
    return query === '' ? '' : `?${query}`;
  }

  private pastBanner({ page, past }: AssetPageParts, context: PageContext): Html | false {
    if (past === undefined) return false;
    const { language } = context;
    const { assetId, modifiedUs } = page.asset;
    const texts = TEXTS[language];
    return html`<p role="status" class="banner past">
      ${past.isNow ? texts.stillBanner : texts.pastBanner} ${this.times.show(modifiedUs, language)}.
      <a href="${linkTo(context, `/assets/${assetId}`)}">${texts.toPresent}</a>
    </p>`;
  }

  private banner(page: AssetViewModel, isPublished: boolean, { language }: PageContext): Html | false {
    const texts = TEXTS[language];
    if (page.isDeleted) return html`<p role="status" class="banner gone">${texts.deletedBanner}</p>`;
    return !isPublished && html`<p role="status" class="banner private">${texts.draftBanner}</p>`;
  }

  private displayOptions(language: PageContext['language']): DisplayOptions {
    const { times, mapSearchUrl } = this;
    return { language, budget: new ByteBudget(BYTES.values), times, mapSearchUrl };
  }

  private facts({ page, brokerName }: AssetPageParts, { language }: PageContext): Html {
    const texts = TEXTS[language];
    const { owner, relatedLot, createdUs, modifiedUs } = page.asset;
    const display = this.displayOptions(language);
    const fields = new Map([...page.fields].filter(([name]) => name !== 'title' && name !== 'description'));
    const { description } = page.values;
    const lead = typeof description === 'string' ? new ByteBudget(BYTES.description) : undefined;
    return html`${lead && html`<p class="lead"><bdi>${lead.shorten(description as string)}</bdi></p>`}
      ${page.hasType ? showFields(fields, page.values, display) : showRaw(othersOf(page.values), display)}
      ${(display.budget.hasShortened || lead?.hasShortened) && html`<p class="note">${texts.shortened}</p>`}
      <dl>
        ${
          relatedLot !== null &&
          html`<div>
            <dt>${page.labelsOf('relatedLot')[language]}</dt>
            <dd class="code" id="lot">${relatedLot}</dd>
          </div>`
        }
        <div>
          <dt>${texts.broker}</dt>
          <dd>
            ${brokerName !== undefined && html`<bdi>${shortened(brokerName, BYTES_OF_BROKER)}</bdi> · `}<bdi
              >${owner}</bdi
            >
          </dd>
        </div>
        <div>
          <dt>${texts.created}</dt>
          <dd>${this.times.show(createdUs, language)}</dd>
        </div>
        <div>
          <dt>${texts.changed}</dt>
          <dd>${this.times.show(modifiedUs, language)}</dd>
        </div>
      </dl>`;
  }

  private forPrograms(parts: AssetPageParts, context: PageContext, api: string): Html {
    const { base, language } = context;
    const texts = TEXTS[language];
    const { page, json } = parts;
    const raw = new ByteBudget(BYTES.raw);
    const pretty = this.query(parts, 'opt_pretty=1');
    const url = `${base}/${API_PREFIX}/assets/${page.asset.id}`;
    return html`<section aria-labelledby="programs">
      <h2 id="programs">${texts.forPrograms}</h2>
      <pre id="curl" tabindex="0"><code>curl '${url}${pretty}'</code></pre>
      <details>
        <summary>${texts.rawJson}</summary>
        <pre tabindex="0"><code>${raw.shorten(json)}</code></pre>
      </details>
      <p>
        <a href="${api}${pretty}">${texts.openJson}</a
        >${isLasting(parts) && context.hasSearch && otherFormats(page, context)}
      </p>
      ${this.recorded(parts, api, language)}
    </section>`;
  }

  private recorded(parts: AssetPageParts, api: string, language: PageContext['language']): Html | false {
    const texts = TEXTS[language];
    if (parts.log === undefined) return false;
    const { place } = parts.log;
    if (place === undefined) return html`<p id="log">${texts.notRecordedYet}</p>`;
    const proof = `${api}/proof${this.query(parts, '')}`;
    const spore = api.replace(/assets\/[^/]+$/, 'spore');
    const script = api.replace(/api\/.*$/, 'check-proof.py');
    return html`<p id="log">
      ${texts.recordedAt} <b>${place}</b> · <a href="${proof}">${texts.proof}</a>. ${texts.howToCheck}
      <a href="${spore}"><code>/${API_PREFIX}/spore</code></a> ·
      <a href="${script}">check-proof.py</a>
    </p>`;
  }
}

type LastingParts = Extract<AssetPageParts, { past?: undefined }>;

/** Whether it is the page of a published asset as it is now. */
function isLasting(parts: AssetPageParts): parts is LastingParts {
  return parts.past === undefined && parts.history.length > 0;
}

/** What finds this asset alone: others may have its number in their texts, but hardly its id. */
function onlyIt({ asset }: AssetViewModel): Condition[] {
  return [{ name: 'q', value: asset.id }];
}

function otherFormats(page: AssetViewModel, context: PageContext): Html {
  const texts = TEXTS[context.language];
  return html` ·
    <a rel="nofollow" href="${linkToApi(context, '.csv', onlyIt(page))}">${texts.csv}</a> ·
    <a rel="nofollow" href="${linkToFeed(context, onlyIt(page))}">${texts.assetFeed}</a>`;
}

/** Those that do not stand above the others. */
function othersOf(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) =>
        name !== 'redacted' && ((name !== 'title' && name !== 'description') || typeof value !== 'string'),
    ),
  );
}

/** An asset in a sentence, for search engines. */
function summaryOf(page: AssetViewModel, language: PageContext['language']): Html {
  const { title, value } = page;
  const price = value && money(value.amount, value.currency, language);
  const state = page.state?.labels[language];
  return shortened([title, state, price, page.placeIn(language)].filter(Boolean).join(' · '), BYTES_IN_HEAD);
}
