import { statesAhead } from '../asset-types/states-ahead.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';
import { type Html, html } from './html.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { TimelineParts } from './timeline.js';
import type { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

/** A state, and when the asset first and last entered it, in microseconds. */
type Step = Record<'firstUs' | 'lastUs', number> & Pick<HistoryEntry, 'status'>;

/**
 * The states of an asset in one line: the past ones, the present one, and the next ones of its lifecycle.
 * @returns false if its type is not installed
 */
export function lifeBar(
  { page, history, first }: Omit<TimelineParts, 'changes'>,
  context: PageContext,
  times: ShownTimes,
): Html | false {
  const { lifecycle } = page;
  if (lifecycle === undefined) return false;
  const { language } = context;
  const { status } = page.asset;
  const nameOf = (state: string): Html => html`<span>${page.stateOf(state)?.labels[language] ?? state}</span>`;
  const steps = stepsOf(first === undefined ? history : [...history, first]);
  const present = steps.pop();
  return html`<ol id="life">
    ${steps.map((step) => html`<li>${nameOf(step.status)} ${times.day(step.firstUs, language)}</li> `)}
    <li aria-current="step">
      ${statePill(page, status, language)}
      ${present && html`${TEXTS[language].present} ${times.day(present.lastUs, language)}`}
    </li>
    ${statesAhead(lifecycle, status).map((ahead) => html`<li class="ahead">${nameOf(ahead)}</li> `)}
  </ol>`;
}

/** The states in order; a return to a state drops those after it. */
function stepsOf(history: readonly HistoryEntry[]): Step[] {
  const steps: Step[] = [];
  for (const { status, modifiedUs } of history.toReversed()) {
    const known = steps.findIndex((step) => step.status === status);
    if (known < 0) steps.push({ status, firstUs: modifiedUs, lastUs: modifiedUs });
    else if (known < steps.length - 1) {
      steps.length = known + 1;
      (steps[known] as Step).lastUs = modifiedUs;
    }
  }
  return steps;
}
