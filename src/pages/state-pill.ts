import type { AssetViewModel } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';

/** The label of a state, coloured by its kind. */
export function statePill(page: AssetViewModel, status: string, language: Language): Html {
  const state = page.stateOf(status);
  return html`<span class="pill ${kindOf(status, state)}">${state?.labels[language] ?? status}</span>`;
}

function kindOf(status: string, state: ReturnType<AssetViewModel['stateOf']>): string {
  if (status === 'deleted') return 'gone';
  if (state === undefined) return 'other';
  if (!state.listed) return 'private';
  if (state.final === true) return 'ended';
  return state.needsLot === true ? 'taken' : 'open';
}
