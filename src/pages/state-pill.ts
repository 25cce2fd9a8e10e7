import type { AssetViewModel } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';

/** A state by its label; its colour says what kind of state it is, by what the asset's type says of it. */
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
