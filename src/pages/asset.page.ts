import { API_PREFIX } from '../http/api-paths.js';
import type { Config } from '../platform/config/config.js';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type AssetData, showApiAccess, howToCheck, searchForAsset } from './asset-data.js';
import { showDifferences } from './differences.js';
import { type Html, html } from './html.js';
import { keyFields, showKeyFacts } from './key-facts.js';
import { layout } from './layout.js';
import { lifeBar } from './life-bar.js';
import { linkBack, linkToFeed } from './list-links.js';
import type { LoweredPrice } from './changed-values.js';
import { relatedLinks } from './related-links.js';
import { showRedactions } from './redactions.js';
import type { DisplayOptions } from './display-options.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { showRaw } from './shown-raw.js';
import { money, showFields } from './shown-values.js';
import { statePill } from './state-pill.js';
import { structuredData } from './structured-data.js';
import { TEXTS } from './texts.js';
import { dayForm, timeline, type TimelineParts } from './timeline.js';
import { printDay, type ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

/** Bytes of the parts of a page, which is below 30 KB. */
const BYTES = { title: 2_000, description: 4_000, values: 7_800 };

const BYTES_IN_HEAD = 300;

/** Data of an asset's page: its present state with its history, or a past state. */
type AssetPageParts = {
  page: AssetViewModel;
  /** Display name of the broker, if it differs from the account's name. */
  brokerName?: string | undefined;
  /** The asset as the API returns it. */
  json: string;
  /** Its place in the log, undefined until it is recorded. `log` is undefined if the registry has no log. */
  log?: { place: number | undefined } | undefined;
} & ((Omit<TimelineParts, 'page'> & { lowered?: LoweredPrice | undefined; past?: undefined }) | PastParts);

interface PastParts {
  /** The present state, and the day such as `2026-11-28` if a day was requested. */
  past: { now: AssetViewModel; day: string | undefined };
}

type PresentParts = Extract<AssetPageParts, { past?: undefined }>;

/** The page of one asset. */
export class AssetPage {
  /** @param sites links to other sites, as configured */
  constructor(
    private readonly times: ShownTimes,
    private readonly sites: Partial<Pick<Config, 'mapSearchUrl' | 'lotUrl'>>,
  ) {}

  show(parts: AssetPageParts, context: PageContext): string {
    const { page } = parts;
    const { root, language } = context;
    const texts = TEXTS[language];
    const { id, assetId, status } = page.asset;
    const isPublished = parts.past !== undefined || parts.history.length > 0;
    const data = {
      page,
      json: parts.json,
      state: this.stateOf(parts),
      isFound: isPresentState(parts) && context.hasSearch,
    };
    const feed = data.isFound ? linkToFeed(context, searchForAsset(page)) : undefined;
    const json = `${root}/${API_PREFIX}/assets/${id}${data.state && `?${data.state}`}`;
    const head = html`<link rel="alternate" type="application/json" href="${json}" />
      ${isPresentState(parts) ? structuredData(page, context, this.times) : html`<meta name="robots" content="noindex" />`}`;
    const back = linkBack(context);
    const main = html`<p>
        <a href="${back ?? linkTo(context, '/')}">← ${back ? texts.backToResults : texts.toList}</a>
      </p>
      <article class="asset">
        ${this.pastBanner(parts, context)} ${this.banner(page, isPublished, context)}
        <p class="over">
          ${(parts.past !== undefined || !page.hasType) && statePill(page, status, language)}
          <span>${page.typeLabels[language]}</span> <span class="code">${assetId}</span>
        </p>
        <h1><bdi>${new ByteBudget(BYTES.title).shorten(page.title)}</bdi></h1>
        ${parts.past === undefined ? lifeBar(parts, context, this.times) : this.sinceThen(page, parts.past, context)}
        ${this.columns(parts, data, context)}
      </article>`;
    const title = html`${shortened(page.title, BYTES_IN_HEAD)} · ${assetId}`;
    const address = isPresentState(parts) ? `/assets/${assetId}` : undefined;
    return layout(context, { title, description: summaryOf(page, language), address, head, main, feed });
  }

  /** Key facts, in a separate column on wide screens. */
  private columns(parts: AssetPageParts, data: AssetData, context: PageContext): Html {
    const { page, log } = parts;
    const { mapSearchUrl, lotUrl } = this.sites;
    const display: DisplayOptions = {
      language: context.language,
      budget: new ByteBudget(BYTES.values),
      times: this.times,
      mapSearchUrl,
    };
    const facts = html`${this.facts(page, display)} ${showRedactions(page, context)}`;
    return html`<div class="columns">
      <div id="key">${showKeyFacts({ ...parts, lotUrl }, display)}</div>
      <div>
        ${facts} ${isPresentState(parts) && timeline(parts, context, this.times)}
        ${log && howToCheck(data, log.place, context)} ${showApiAccess(data, context)}
      </div>
      ${context.hasSearch && relatedLinks(page, context)}
    </div>`;
  }

  /** The `at` parameter of the shown state; empty for the present one. */
  private stateOf({ page, past }: AssetPageParts): string {
    return past === undefined ? '' : `at=${encodeURIComponent(this.times.print(page.asset.modifiedUs))}`;
  }

  private sinceThen(page: AssetViewModel, { now, day }: PastParts['past'], context: PageContext): Html {
    return html`${dayForm(page, context, day)} ${showDifferences(page, now, context, this.times)}`;
  }

  private pastBanner({ page, past }: AssetPageParts, context: PageContext): Html | false {
    if (past === undefined) return false;
    const { assetId, modifiedUs } = page.asset;
    const texts = TEXTS[context.language];
    const then =
      past.day === undefined
        ? texts.pastBanner
        : texts.pastDayBanner.replace('{day}', printDay(past.day, context.language));
    return html`<p role="status" class="banner past">
      ${modifiedUs === past.now.asset.modifiedUs ? texts.stillBanner : then}
      ${this.times.show(modifiedUs, context.language)}.
      <a href="${linkTo(context, `/assets/${assetId}`)}">${texts.toPresent}</a>
    </p>`;
  }

  private banner(page: AssetViewModel, isPublished: boolean, { language }: PageContext): Html | false {
    const texts = TEXTS[language];
    if (page.isDeleted) return html`<p role="status" class="banner gone">${texts.deletedBanner}</p>`;
    return !isPublished && html`<p role="status" class="banner private">${texts.draftBanner}</p>`;
  }

  private facts(page: AssetViewModel, display: DisplayOptions): Html {
    const apart = new Set([...keyFields(page), 'title', 'description']);
    const fields = new Map([...page.fields].filter(([name]) => !apart.has(name)));
    const { description } = page.values;
    const lead = typeof description === 'string' ? new ByteBudget(BYTES.description) : undefined;
    return html`${lead && html`<p class="lead"><bdi>${lead.shorten(description as string)}</bdi></p>`}
    ${page.hasType ? showFields(fields, page.values, display) : showRaw(othersOf(page.values), display)}
    ${(display.budget.hasShortened || lead?.hasShortened) && html`<p class="note">${TEXTS[display.language].shortened}</p>`}`;
  }
}

/** Whether the page shows the present state of a published asset. */
function isPresentState(parts: AssetPageParts): parts is PresentParts {
  return parts.past === undefined && parts.history.length > 0;
}

/** Values without the title and the description, which are shown elsewhere on the page. */
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
  return shortened([title, state, price, page.locationIn(language)].filter(Boolean).join(' · '), BYTES_IN_HEAD);
}
