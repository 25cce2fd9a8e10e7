import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';
import type { AssetViewModel } from './asset-view-model.js';
import { type BeforeAndAfter, showChange, showChanges } from './changed-values.js';
import { type Html, html } from './html.js';
import { erasedBy } from './redactions.js';
import { ByteBudget } from './byte-budget.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

/** Entries that are looked at. */
export const MAX_READ = 200;
const MAX_SHOWN = 15;
/** Most moves among the changes that are shown, so that the newest changes have a place too. */
const MAX_MOVES = 10;
const FIELDS_A_CHANGE = 6;
const BYTES = 5_600;
/** Bytes of old and new values that are shown; what was changed beyond these is told by its name only. */
const BYTES_OF_VALUES = 2_600;
const NOTHING = '—';

/** What the lines of a change are made of. */
export interface ChangeParts {
  page: AssetViewModel;
  /** Newest first. */
  history: readonly HistoryEntry[];
  /** The fields before and after the changes at these places. */
  changes: ReadonlyMap<number, BeforeAndAfter>;
}

/** What a timeline is made of, with a history of up to MAX_READ and one more. */
export interface TimelineParts extends ChangeParts {
  /** Path of the asset in the API. */
  api: string;
}

/** How a change is shown. */
interface ChangeShowing {
  language: PageContext['language'];
  times: ShownTimes;
}

/** Through which states an asset went, and what was changed when; each leads to what the asset was then. */
export function timeline(parts: TimelineParts, context: PageContext, times: ShownTimes): Html {
  const { history, api } = parts;
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(BYTES);
  const values = new ByteBudget(BYTES_OF_VALUES);
  const lines: Html[] = [];
  let next = 0;
  for (const place of placesShown(history)) {
    const line = entry(parts, place, context, { times, values });
    if (!budget.reserve(Buffer.byteLength(line.text))) break;
    if (place > next) lines.push(gap(texts.moreChanges, place - next));
    lines.push(line);
    next = place + 1;
  }
  const isMore = next < history.length;
  return html`<section aria-labelledby="history">
    <h2 id="history">${texts.timeline}</h2>
    <ol id="timeline">
      ${lines} ${isMore && html`<li class="gap">${texts.earlierChanges}</li>`}
    </ol>
    <p><a href="${api}/history?opt_pretty=1">${texts.longerHistory}</a></p>
  </section>`;
}

/** Every move to another state, as far as there is room, the first entry among them, and between them the newest changes. */
export function placesShown(history: readonly HistoryEntry[]): number[] {
  const known = history.slice(0, MAX_READ);
  const moves = known.flatMap((_, place) => (hasMoved(history, place) ? [place] : []));
  const shown = new Set([...moves.slice(0, MAX_MOVES), ...moves.slice(-1)]);
  for (let place = 0; place < known.length && shown.size < MAX_SHOWN; place++) shown.add(place);
  return [...shown].toSorted((a, b) => a - b);
}

export function hasMoved(history: readonly HistoryEntry[], place: number): boolean {
  return history[place]?.status !== history[place + 1]?.status;
}

function gap(text: string, count: number): Html {
  return html`<li class="gap">${text.replace('{n}', String(count))}</li> `;
}

/** What an entry is shown with. */
interface EntryShowing {
  times: ShownTimes;
  values: ByteBudget;
}

function entry(parts: TimelineParts, place: number, context: PageContext, { times, values }: EntryShowing): Html {
  const { page, history } = parts;
  const { modifiedUs, status } = history[place] as HistoryEntry;
  const { language } = context;
  // What it is now has a page with more than what it was.
  const at = modifiedUs === page.asset.modifiedUs ? [] : [{ name: 'at', value: times.print(modifiedUs) }];
  const then = linkTo(context, `/assets/${page.asset.assetId}`, at);
  return html`<li>
    <a href="${then}">${times.show(modifiedUs, language)}</a>
    ${hasMoved(history, place) && statePill(page, status, language)}
    ${changeLines(parts, place, { language, times }, values)}
  </li> `;
}

/** What a change changed: from what to what, or, where that is not known or there is no room for it, the names of the fields. */
export function changeLines(parts: ChangeParts, place: number, display: ChangeShowing, values: ByteBudget): Html[] {
  const { page, history } = parts;
  const { modifiedUs, changed = [] } = history[place] as HistoryEntry;
  const { language, times } = display;
  const erased = erasedBy(page, modifiedUs, language, times);
  const lines = erased.length > 0 ? erased : changesAt(parts, place, display);
  if (lines.length > 0 && values.reserve(Buffer.byteLength(lines.map(({ text }) => text).join('')))) return lines;
  const names = labelsOf(page, changed, language);
  return names === '' ? [] : [html`<span>${TEXTS[language].changed}: ${names}</span>`];
}

/** From what to what, a line for each field; none where a field's values are not known. */
function changesAt({ page, history, changes }: ChangeParts, place: number, display: ChangeShowing): Html[] {
  const { changed = [], relatedLot, transfer } = history[place] as HistoryEntry;
  const ofFields = changes.get(place);
  const own = changed.filter((name) => !SERVICE_FIELDS.has(name));
  if (own.length > 0 && ofFields === undefined) return [];
  const lines =
    ofFields === undefined
      ? []
      : showChanges(page.fields, ofFields, { ...display, isInTable: true, mapSearchUrl: undefined });
  const labelOf = (name: string): string => page.labelsOf(name)[display.language];
  const lots = [history[place + 1]?.relatedLot ?? NOTHING, relatedLot ?? NOTHING] as const;
  if (changed.includes('relatedLot')) lines.push(showChange(labelOf('relatedLot'), lots));
  if (transfer !== undefined) lines.push(showChange(labelOf('owner'), [transfer.from, transfer.to]));
  return lines;
}

/** The fields of a change as people read them; the state is shown as such. */
function labelsOf(page: AssetViewModel, changed: readonly string[], language: PageContext['language']): string {
  const fields = changed.filter((name) => name !== 'status');
  const names = fields.slice(0, FIELDS_A_CHANGE).map((name) => page.labelsOf(name)[language]);
  return names.join(', ') + (fields.length > names.length ? '…' : '');
}
