import { LRUCache } from 'lru-cache';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { money } from './shown-values.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { brokerText } from './broker-text.js';
import { linkTo, type PageContext } from './page-context.js';

const MAX_CACHED = 5_000;
const MAX_KINDS = 3;
/** In bytes, after escaping. */
interface Bounds {
  title: number;
  line: number;
}

/** Small enough for a page of any assets. */
const BRIEF: Bounds = { title: 188, line: 86 };
/** Large enough for ordinary titles and lines. */
const WHOLE: Bounds = { title: 4_000, line: 600 };
/** Bytes that whole summaries of a page may take in addition to the brief ones. */
const MAX_EXTRA_BYTES = 9_500;

/** An asset as a list shows it. The style clamps long texts, which can still be searched, copied and read aloud. */
export interface Summary {
  whole: Html;
  brief: Html;
}

/** Chooses whole summaries, smallest first, while they fit, and brief ones for the rest. */
export function fitSummaries(summaries: readonly Summary[]): Html[] {
  const budget = new ByteBudget(MAX_EXTRA_BYTES);
  const byNeed = summaries.toSorted((a, b) => extraBytes(a) - extraBytes(b));
  const whole = new Set(byNeed.filter((one) => budget.reserve(extraBytes(one))));
  return summaries.map((one) => (whole.has(one) ? one.whole : one.brief));
}

function extraBytes({ whole, brief }: Summary): number {
  return Buffer.byteLength(whole.text) - Buffer.byteLength(brief.text);
}

/** Renders and caches summaries, because most requests are for the newest assets. */
export class AssetSummaries {
  private readonly cache = new LRUCache<string, Summary>({ max: MAX_CACHED });

  constructor(private readonly times: ShownTimes) {}

  /** @param modifiedUs identifies a state of one asset */
  find(modifiedUs: number, context: PageContext): Summary | undefined {
    return this.cache.get(keyOf(modifiedUs, context));
  }

  show(page: AssetViewModel, context: PageContext): Summary {
    const shown = { whole: this.print(page, context, WHOLE), brief: this.print(page, context, BRIEF) };
    this.cache.set(keyOf(page.asset.modifiedUs, context), shown);
    return shown;
  }

  private print(page: AssetViewModel, context: PageContext, most: Bounds): Html {
    const { assetId, status, modifiedUs } = page.asset;
    const { language } = context;
    const { value, custodian } = page;
    const line = (text: string | undefined): Html | undefined =>
      text === undefined ? undefined : html`<p><bdi>${shortened(text, most.line)}</bdi></p>`;
    return html`<li>
      <h2>
        <a href="${linkTo(context, `/assets/${assetId}`)}"
          >${brokerText(page.title, shortened(page.title, most.title), language)}</a
        >
      </h2>
      <div class="facts">
        ${value && html`<p class="money"><bdi>${shortened(money(value.amount, value.currency, language), most.line)}</bdi></p>`}
        <p class="over">${statePill(page, status, language)} ${page.typeLabels[language]}</p>
        <p class="when">${TEXTS[language].changed} ${this.times.brief(modifiedUs, language)}</p>
      </div>
      <div>
        ${line(page.locationIn(language))} ${line(summarizeItems(page, language))}
        <p class="note">
          <span class="code">${assetId}</span>
          ${custodian?.name !== undefined && html`<bdi>${shortened(custodian.name, most.line)}</bdi>`}
        </p>
      </div>
    </li> `;
  }
}

function keyOf(modifiedUs: number, { language, hasChosen }: PageContext): string {
  return `${modifiedUs} ${language} ${hasChosen}`;
}

/** The number of items of an asset and their most frequent kinds, in one line. */
function summarizeItems({ items }: AssetViewModel, language: Language): string | undefined {
  if (items === undefined) return undefined;
  const kinds = new Map<string, number>();
  for (const item of items.values) {
    const kind = (item['classification'] as JsonObject | undefined)?.['description'];
    if (typeof kind === 'string') kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const byCount = [...kinds].toSorted(([, a], [, b]) => b - a);
  const shown = byCount.slice(0, MAX_KINDS).map(([kind, count]) => (count > 1 ? `${kind} × ${count}` : kind));
  if (byCount.length > MAX_KINDS) shown.push('…');
  const head = `${items.field.labels[language]}: ${items.values.length}`;
  return shown.length === 0 ? head : `${head} (${shown.join(', ')})`;
}
