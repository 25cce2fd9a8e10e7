import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import { API_PREFIX } from '../http/api-paths.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';
import { redactedOf } from '../feed/reading/asset-view.js';
import type { AssetViewModel } from './asset-view-model.js';
import { type BeforeAndAfter, type Run, showChange, showChanges } from './changed-values.js';
import { type Html, html } from './html.js';
import { erasedBy } from './redactions.js';
import { ByteBudget } from './byte-budget.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

/** Entries that are looked at. */
export const MAX_READ = 1_000;
const MAX_SHOWN = 15;
/** Most moves among the changes that are shown, so that the newest changes have a place too. */
const MAX_MOVES = 10;
/** Changes of the same fields that are shown as one, where they follow each other. */
const MIN_RUN = 3;
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
  /** The fields before and after the runs that begin at these places. */
  changes: ReadonlyMap<number, BeforeAndAfter>;
}

/** What a timeline is made of, with a history of up to MAX_READ and one more. */
export interface TimelineParts extends ChangeParts {
  /** The entry by which it was published, where the history does not reach so far. */
  first?: HistoryEntry | undefined;
}

/** How a change is shown. */
interface ChangeShowing {
  language: PageContext['language'];
  times: ShownTimes;
}

/** Through which states an asset went, and what was changed when; each leads to what the asset was then. */
export function timeline(parts: TimelineParts, context: PageContext, times: ShownTimes): Html {
  const { history, first, page } = parts;
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(BYTES);
  const values = new ByteBudget(BYTES_OF_VALUES);
  const lines: Html[] = [];
  let next = 0;
  for (const run of runsShown(history, redactedOf(page.values).length === 0)) {
    const line = entry(parts, run, context, { times, values });
    if (!budget.reserve(Buffer.byteLength(line.text))) break;
    if (run.newest > next) lines.push(gap(texts.moreChanges.replace('{n}', String(run.newest - next))));
    lines.push(line);
    next = run.oldest + 1;
  }
  if (next < history.length) lines.push(gap(texts.earlierChanges));
  const publication = first && { page, history: [first], changes: new Map() };
  return html`<section aria-labelledby="history">
    <h2 id="history">${texts.timeline}</h2>
    ${dayForm(page, context)}
    <ol id="timeline">
      ${lines} ${publication && entry(publication, { newest: 0, oldest: 0 }, context, { times, values })}
    </ol>
    <p>
      <a href="${linkToHistory(page, context)}">${texts.wholeHistory}</a> ·
      <a href="${linkToHistoryJson(page, context)}">${texts.historyAsJson}</a>
    </p>
  </section>`;
}

/** Asks for the day whose state is shown. @param day that was chosen, such as `2026-11-28` */
export function dayForm({ asset }: AssetViewModel, context: PageContext, day = ''): Html {
  const texts = TEXTS[context.language];
  return html`<form id="day" action="${linkTo({ ...context, hasChosen: false }, `/assets/${asset.assetId}`)}">
    <label for="at">${texts.onDay}</label>
    <input type="date" id="at" name="at" required value="${day}" />
    ${context.hasChosen && html`<input type="hidden" name="lang" value="${context.language}" />`}
    <button type="submit">${texts.showDay}</button>
  </form>`;
}

/** The page with every public state. @param offset where it begins */
export function linkToHistory({ asset }: AssetViewModel, context: PageContext, offset?: string): string {
  const place = offset === undefined ? [] : [{ name: 'offset', value: offset }];
  return linkTo(context, `/assets/${asset.assetId}/history`, place);
}

export function linkToHistoryJson({ asset }: AssetViewModel, { root }: PageContext): string {
  return `${root}/${API_PREFIX}/assets/${asset.id}/history?opt_pretty=1`;
}

/**
 * Chooses every move to another state, as far as there is room, the first entry among them, and between them the newest changes.
 * @param canGather whether changes of the same fields that follow each other are one run: not where one may have erased something
 */
export function runsShown(history: readonly HistoryEntry[], canGather: boolean): Run[] {
  const known = runsOf(history, canGather ? MIN_RUN : Infinity);
  const moves = known.filter(({ newest }) => hasMoved(history, newest));
  const shown = new Set([...moves.slice(0, MAX_MOVES), ...moves.slice(-1)]);
  for (const run of known) if (shown.size < MAX_SHOWN) shown.add(run);
  return [...shown].toSorted((a, b) => a.newest - b.newest);
}

function runsOf(history: readonly HistoryEntry[], min: number): Run[] {
  const runs: Run[] = [];
  const fieldsAt = (place: number): string | undefined => {
    const { changed } = history[place] as HistoryEntry;
    const isAlone = hasMoved(history, place) || changed?.some((name) => SERVICE_FIELDS.has(name));
    return isAlone ? undefined : changed?.join();
  };
  for (let place = 0; place < Math.min(history.length, MAX_READ);) {
    const fields = fieldsAt(place);
    let end = place + 1;
    while (fields !== undefined && end < history.length && fieldsAt(end) === fields) end++;
    const next = end - place < min ? place + 1 : end;
    runs.push({ newest: place, oldest: next - 1 });
    place = next;
  }
  return runs;
}

export function hasMoved(history: readonly HistoryEntry[], place: number): boolean {
  return history[place]?.status !== history[place + 1]?.status;
}

function gap(text: string): Html {
  return html`<li class="gap">${text}</li> `;
}

/** What an entry is shown with. */
interface EntryShowing {
  times: ShownTimes;
  values: ByteBudget;
}

export function entry(parts: ChangeParts, run: Run, context: PageContext, { times, values }: EntryShowing): Html {
  const { page, history } = parts;
  const { modifiedUs, status } = history[run.newest] as HistoryEntry;
  const { language } = context;
  // What it is now has a page with more than what it was.
  const at = modifiedUs === page.asset.modifiedUs ? [] : [{ name: 'at', value: times.print(modifiedUs) }];
  const then = linkTo(context, `/assets/${page.asset.assetId}`, at);
  return html`<li>
    <a href="${then}">${times.show(modifiedUs, language)}</a>
    ${hasMoved(history, run.newest) && statePill(page, status, language)}
    ${run.oldest > run.newest && inARow(parts, run, context, times)}
    ${changeLines(parts, run.newest, { language, times }, values)}
  </li> `;
}

/** How many changes a run has, with a link to each of them. */
function inARow(
  { page, history }: ChangeParts,
  { newest, oldest }: Run,
  context: PageContext,
  times: ShownTimes,
): Html {
  const offset = times.print((history[newest] as HistoryEntry).modifiedUs + 1);
  const count = TEXTS[context.language].inARow.replace('{n}', String(oldest - newest + 1));
  return html`<p><a href="${linkToHistory(page, context, offset)}">${count}</a></p>`;
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
