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

/** Maximum of history entries that are read. */
export const MAX_READ = 1_000;
const MAX_SHOWN = 15;
/** Maximum of moves to another state; the rest of MAX_SHOWN is for the newest changes. */
const MAX_MOVES = 10;
/** Minimum of consecutive changes of the same fields that are shown as one. */
const MIN_RUN = 3;
const FIELDS_A_CHANGE = 6;
const BYTES = 5_600;
/** Bytes of old and new values; further changes are shown by the names of their fields. */
const MAX_VALUES_BYTES = 2_600;
const NOTHING = '—';

/** An asset, its history and the values that changed. */
export interface ChangeParts {
  page: AssetViewModel;
  /** Newest first. */
  history: readonly HistoryEntry[];
  /** The fields before and after a run, by the index of its newest entry. */
  changes: ReadonlyMap<number, BeforeAndAfter>;
}

/** A history of at most MAX_READ entries, and one more if there are earlier ones. */
export interface TimelineParts extends ChangeParts {
  /** The entry of the publication, if it is older than `history`. */
  first?: HistoryEntry | undefined;
}

interface ChangeShowing {
  language: PageContext['language'];
  times: ShownTimes;
}

/** Shows the states and changes of an asset; each entry links to the asset as it was then. */
export function timeline(parts: TimelineParts, context: PageContext, times: ShownTimes): Html {
  const { history, first, page } = parts;
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(BYTES);
  const values = new ByteBudget(MAX_VALUES_BYTES);
  const lines: Html[] = [];
  let next = 0;
  for (const run of chooseRuns(history, redactedOf(page.values).length === 0)) {
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

/** A form that shows the asset as it was on a day. @param day such as `2026-11-28` */
export function dayForm({ asset }: AssetViewModel, context: PageContext, day = ''): Html {
  const texts = TEXTS[context.language];
  return html`<form id="day" action="${linkTo({ ...context, hasChosen: false }, `/assets/${asset.assetId}`)}">
    <label for="at">${texts.onDay}</label>
    <input type="date" id="at" name="at" required value="${day}" />
    ${context.hasChosen && html`<input type="hidden" name="lang" value="${context.language}" />`}
    <button type="submit">${texts.showDay}</button>
  </form>`;
}

/** Links to the page of all public states. @param offset only states before this instant */
export function linkToHistory({ asset }: AssetViewModel, context: PageContext, offset?: string): string {
  const parameters = offset === undefined ? [] : [{ name: 'offset', value: offset }];
  return linkTo(context, `/assets/${asset.assetId}/history`, parameters);
}

export function linkToHistoryJson({ asset }: AssetViewModel, { root }: PageContext): string {
  return `${root}/${API_PREFIX}/assets/${asset.id}/history?opt_pretty=1`;
}

/**
 * Chooses moves to another state, the oldest entry among them, and the newest changes.
 * @param canGather whether consecutive changes of the same fields form a run; false if one of them may be an erasure
 */
export function chooseRuns(history: readonly HistoryEntry[], canGather: boolean): Run[] {
  const known = runsOf(history, canGather ? MIN_RUN : Infinity);
  const moves = known.filter(({ newest }) => hasMoved(history, newest));
  const shown = new Set([...moves.slice(0, MAX_MOVES), ...moves.slice(-1)]);
  for (const run of known) if (shown.size < MAX_SHOWN) shown.add(run);
  return [...shown].toSorted((a, b) => a.newest - b.newest);
}

function runsOf(history: readonly HistoryEntry[], min: number): Run[] {
  const runs: Run[] = [];
  const fieldsAt = (index: number): string | undefined => {
    const { changed } = history[index] as HistoryEntry;
    const isAlone = hasMoved(history, index) || changed?.some((name) => SERVICE_FIELDS.has(name));
    return isAlone ? undefined : changed?.join();
  };
  for (let index = 0; index < Math.min(history.length, MAX_READ);) {
    const fields = fieldsAt(index);
    let end = index + 1;
    while (fields !== undefined && end < history.length && fieldsAt(end) === fields) end++;
    const next = end - index < min ? index + 1 : end;
    runs.push({ newest: index, oldest: next - 1 });
    index = next;
  }
  return runs;
}

export function hasMoved(history: readonly HistoryEntry[], index: number): boolean {
  return history[index]?.status !== history[index + 1]?.status;
}

function gap(text: string): Html {
  return html`<li class="gap">${text}</li> `;
}

interface EntryShowing {
  times: ShownTimes;
  values: ByteBudget;
}

export function entry(parts: ChangeParts, run: Run, context: PageContext, { times, values }: EntryShowing): Html {
  const { page, history } = parts;
  const { modifiedUs, status } = history[run.newest] as HistoryEntry;
  const { language } = context;
  // The present state has the page without `at`.
  const at = modifiedUs === page.asset.modifiedUs ? [] : [{ name: 'at', value: times.print(modifiedUs) }];
  const then = linkTo(context, `/assets/${page.asset.assetId}`, at);
  return html`<li>
    <a href="${then}">${times.show(modifiedUs, language)}</a>
    ${hasMoved(history, run.newest) && statePill(page, status, language)}
    ${run.oldest > run.newest && showRunLength(parts, run, context, times)}
    ${changeLines(parts, run.newest, { language, times }, values)}
  </li> `;
}

/** The number of changes in a run, linked to the history page that lists them. */
function showRunLength(
  { page, history }: ChangeParts,
  { newest, oldest }: Run,
  context: PageContext,
  times: ShownTimes,
): Html {
  const offset = times.print((history[newest] as HistoryEntry).modifiedUs + 1);
  const count = TEXTS[context.language].inARow.replace('{n}', String(oldest - newest + 1));
  return html`<p><a href="${linkToHistory(page, context, offset)}">${count}</a></p>`;
}

/** Shows old and new values; or the names of the fields if the values are unknown or too long. */
export function changeLines(parts: ChangeParts, index: number, display: ChangeShowing, values: ByteBudget): Html[] {
  const { page, history } = parts;
  const { modifiedUs, changed = [] } = history[index] as HistoryEntry;
  const { language, times } = display;
  const erased = erasedBy(page, modifiedUs, language, times);
  const lines = erased.length > 0 ? erased : changesAt(parts, index, display);
  if (lines.length > 0 && values.reserve(Buffer.byteLength(lines.map(({ text }) => text).join('')))) return lines;
  const names = labelsOf(page, changed, language);
  return names === '' ? [] : [html`<span>${TEXTS[language].changed}: ${names}</span>`];
}

/** @returns a line for each field with its old and new value; empty if the values are unknown */
function changesAt({ page, history, changes }: ChangeParts, index: number, display: ChangeShowing): Html[] {
  const { changed = [], relatedLot, transfer } = history[index] as HistoryEntry;
  const ofFields = changes.get(index);
  const own = changed.filter((name) => !SERVICE_FIELDS.has(name));
  if (own.length > 0 && ofFields === undefined) return [];
  const lines =
    ofFields === undefined
      ? []
      : showChanges(page.fields, ofFields, { ...display, isInTable: true, mapSearchUrl: undefined });
  const labelOf = (name: string): string => page.labelsOf(name)[display.language];
  const lots = [history[index + 1]?.relatedLot ?? NOTHING, relatedLot ?? NOTHING] as const;
  if (changed.includes('relatedLot')) lines.push(showChange(labelOf('relatedLot'), lots));
  if (transfer !== undefined) lines.push(showChange(labelOf('owner'), [transfer.from, transfer.to]));
  return lines;
}

/** Labels of the changed fields without the state, which has its own mark. */
function labelsOf(page: AssetViewModel, changed: readonly string[], language: PageContext['language']): string {
  const fields = changed.filter((name) => name !== 'status');
  const names = fields.slice(0, FIELDS_A_CHANGE).map((name) => page.labelsOf(name)[language]);
  return names.join(', ') + (fields.length > names.length ? '…' : '');
}
