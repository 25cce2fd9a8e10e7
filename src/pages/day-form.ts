import type { AssetViewModel } from './asset-view-model.js';
import { type Html, html } from './html.js';
import { TEXTS } from './texts.js';
import { linkTo, type PageContext } from './page-context.js';

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
