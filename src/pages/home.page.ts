import { lifecycleOf, type AssetTypes } from '../asset-types/asset-types.js';
import type { Labels } from '../asset-types/labels.js';
import { API_PREFIXES } from '../http/api-paths.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import type { PageQuery } from './page-query.js';
import { Room } from './room.js';
import { type Texts, TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { linkTo, type Visit } from './visit.js';

/** A page of the list, newest first. */
export interface ListPage {
  items: readonly Html[];
  /** Instants of its newest and oldest entry, in microseconds; undefined on an empty page. */
  newestUs: number | undefined;
  oldestUs: number | undefined;
  hasOlder: boolean;
  /** Everything up to this instant has been looked at; in microseconds, undefined while nothing has. */
  asOfUs: number | undefined;
  /** The search index is still being built. */
  isPartial: boolean;
}

const BYTES_OF_REGIONS = 2_000;
const BYTES_OF_OPTION = 17;

interface Choice {
  value: string;
  label: string;
}

/** The first page: what has changed last, and search. */
export class HomePage {
  private readonly states: ReadonlyMap<string, Labels>;
  private readonly types: ReadonlyMap<string, Labels>;

  /** @param can whether there is a search index, and whether anyone may try what it is like to be a broker */
  constructor(
    types: AssetTypes,
    private readonly times: ShownTimes,
    private readonly can: { search: () => boolean; try: boolean },
  ) {
    this.types = new Map(types.installed.map(({ name, labels }) => [name, labels]));
    this.states = listedStates(types);
  }

  /** @param regions to choose from */
  show(query: PageQuery, page: ListPage, regions: readonly string[], visit: Visit): string {
    const texts = TEXTS[visit.language];
    const isNewest = query.offset === undefined && !query.isSearch;
    const title = query.isSearch ? texts.searchResults : texts.newestChanges;
    const main = html`<h1>${title}</h1>
      ${this.can.search() ? this.form(query, regions, visit) : query.isSearch && html`<p role="status" class="banner">${texts.searchOff}</p>`}
      ${page.isPartial && html`<p role="status" class="banner">${texts.indexing}</p>`}
      ${page.asOfUs !== undefined && html`<p class="note">${texts.asOf} ${this.times.show(page.asOfUs, visit.language)} (${this.times.timeZone})</p>`}
      ${
        page.items.length > 0
          ? html`<ol id="assets">
              ${page.items}
            </ol>`
          : this.nothing(query, visit)
      }
      ${this.pager(query, page, visit)}`;
    return layout(visit, { title: isNewest ? texts.registry : title, description: texts.tagline, main });
  }

  private form(query: PageQuery, regions: readonly string[], visit: Visit): Html {
    const texts = TEXTS[visit.language];
    const { language, hasChosen } = visit;
    return html`<form role="search" action="${linkTo({ ...visit, hasChosen: false }, '/')}">
      <div class="field wide">
        <label for="q">${texts.searchFor}</label>
        <input id="q" name="q" type="search" value="${query.text}" maxlength="200" autocomplete="off" />
      </div>
      ${select('status', texts.state, choicesOf(this.states, language), query.status, texts)}
      ${select('type', texts.type, choicesOf(this.types, language), query.assetType, texts)}
      <div class="field">
        <label for="region">${texts.region}</label>
        <input id="region" name="region" value="${query.region}" maxlength="200" list="regions" autocomplete="off" />
        <datalist id="regions">${shortOnes(regions).map((region) => html`<option>${region}</option>`)}</datalist>
      </div>
      ${hasChosen && html`<input type="hidden" name="lang" value="${language}" />`}
      <div class="field buttons">
        <button type="submit">${texts.find}</button
        >${query.isSearch && html` <a href="${linkTo(visit, '/')}">${texts.reset}</a>`}
      </div>
    </form>`;
  }

  private nothing(query: PageQuery, visit: Visit): Html {
    const texts = TEXTS[visit.language];
    if (query.offset !== undefined && !query.newestFirst)
      return html`<p class="nothing">${texts.nothingNewer} <a href="${linkTo(visit, '/')}">${texts.toStart}</a></p>`;
    if (query.isSearch || query.offset !== undefined) return html`<p class="nothing">${texts.nothingFound}</p>`;
    if (!this.can.try) return html`<p class="nothing">${texts.empty}</p>`;
    const create = `curl -u broker: -H 'Content-Type: application/json' -d @src/asset-types/basic/basic.example.json ${visit.base}/${API_PREFIXES[0]}/assets`;
    return html`<section class="nothing" aria-labelledby="empty">
      <h2 id="empty">${texts.empty}</h2>
      <p>${texts.emptyDemo}</p>
      <pre tabindex="0"><code>npm start -- --demo</code></pre>
      <p>${texts.emptyCreate}</p>
      <pre tabindex="0"><code>${create}</code></pre>
      <p><a href="${visit.root}/docs/">${texts.api}</a></p>
    </section>`;
  }

  /** The API's own cursor: whoever keeps the link sees everything that has changed since. */
  private pager(query: PageQuery, { newestUs, oldestUs, hasOlder }: ListPage, visit: Visit): Html {
    const texts = TEXTS[visit.language];
    const newer = newestUs === undefined ? query.offset : this.times.print(newestUs);
    const link = (more: Record<string, string>): string =>
      linkTo(
        visit,
        '/',
        Object.entries({ ...query.filters, ...more }).map(([name, value]) => ({ name, value })),
      );
    return html`<nav class="pager" aria-label="${texts.pages}">
      ${newer !== undefined && html`<a rel="prev" href="${link({ offset: newer })}">${texts.newer}</a>`}
      ${hasOlder && oldestUs !== undefined && html`<a rel="next" href="${link({ offset: this.times.print(oldestUs), descending: '1' })}">${texts.older}</a>`}
    </nav>`;
  }
}

/** Those that there is room for: brokers write them as they like. */
function shortOnes(regions: readonly string[]): string[] {
  const room = new Room(BYTES_OF_REGIONS);
  return regions.filter((region) => room.reserve(Buffer.byteLength(region) + BYTES_OF_OPTION));
}

/** By their names. Where types call a state differently, it has all of its labels. */
function listedStates(types: AssetTypes): Map<string, Labels> {
  const all = types.installed.flatMap((type) => Object.entries(lifecycleOf(type).states));
  const listed = all.filter(([, { listed: isListed }]) => isListed);
  const labelOf = (name: string, language: keyof Labels): string =>
    [...new Set(listed.filter(([other]) => other === name).map(([, { labels }]) => labels[language]))].join(' / ');
  return new Map(listed.map(([name]) => [name, { uk: labelOf(name, 'uk'), en: labelOf(name, 'en') }]));
}

function choicesOf(labels: ReadonlyMap<string, Labels>, language: Visit['language']): Choice[] {
  return [...labels].map(([value, label]) => ({ value, label: label[language] }));
}

function select(name: string, label: string, choices: Choice[], chosen: string | undefined, { any }: Texts): Html {
  // A link may name what is not installed any more: nothing is found then, and the form says for what.
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen);
  const all = isKnown ? choices : [...choices, { value: chosen, label: chosen }];
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      <option value="">${any}</option>
      ${all.map(({ value, label: text }) => html`<option value="${value}" ${value === chosen && html` selected`}>${text}</option>`)}
    </select>
  </div>`;
}
