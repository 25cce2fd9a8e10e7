import { printDecimal } from '../asset-types/fields-json.js';
import type { JsonObject } from './asset-on-page.js';
import { type Html, html, type Part } from './html.js';
import { BYTES_OF_MARKUP, type Showing } from './showing.js';
import { showList } from './shown-lists.js';
import { TEXTS } from './texts.js';

/** Objects in objects deeper than that stand as JSON. */
const MOST_DEPTH = 4;

/** Names and values as they are stored, of an asset whose type is no longer installed: nothing says what they mean. */
export function showRaw(values: JsonObject, showing: Showing, depth = 1): Html {
  const rows: Html[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (!showing.room.reserve(BYTES_OF_MARKUP)) break;
    rows.push(
      html`<div>
        <dt><bdi>${showing.room.shorten(name)}</bdi></dt>
        <dd>${showRawValue(value, showing, depth)}</dd>
      </div>`,
    );
  }
  return html`<dl>${rows}</dl>`;
}

function showRawValue(value: unknown, showing: Showing, depth: number): Part {
  const { room, language } = showing;
  if (typeof value === 'string') return html`<bdi>${room.shorten(value)}</bdi>`;
  if (typeof value === 'number') return room.shorten(printDecimal(value));
  if (typeof value === 'boolean') return TEXTS[language][value ? 'yes' : 'no'];
  if (value === null || depth === MOST_DEPTH) return room.shorten(JSON.stringify(value));
  if (!Array.isArray(value)) return showRaw(value as JsonObject, showing, depth + 1);
  return showList(value, showing, (one: unknown) => showRawValue(one, showing, depth + 1));
}
