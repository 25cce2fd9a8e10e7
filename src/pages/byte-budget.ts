import { truncate } from '../platform/text/truncate.js';
import { escaped, Html } from './html.js';

const ELLIPSIS = '…';

/** Bytes that values may take on a page, so that no asset makes it long. */
export class ByteBudget {
  private isShort = false;

  /** @param left bytes, after escaping */
  constructor(private left: number) {}

  /** Whether something was left out. */
  get hasShortened(): boolean {
    return this.isShort;
  }

  /** @returns as much of `text` as fits. @param most bytes, after escaping */
  shorten(text: string, most = this.left): Html {
    const { shown, bytes, isWhole } = fitted(text, Math.min(most, this.left));
    this.left -= bytes;
    if (!isWhole) this.isShort = true;
    return shown;
  }

  /** @returns the markup, or an ellipsis if it does not fit */
  fit(markup: Html): Html {
    return this.reserve(Buffer.byteLength(markup.text)) ? markup : new Html(ELLIPSIS);
  }

  /** Takes bytes. @returns false, and takes none, if fewer are left */
  reserve(bytes: number): boolean {
    const isThere = this.left >= bytes;
    if (isThere) this.left -= bytes;
    else this.isShort = true;
    return isThere;
  }
}

/** @returns as much of a text as fits. @param most bytes, after escaping */
export function shortened(text: string, most: number): Html {
  return fitted(text, most).shown;
}

/** Escapes a text once if it fits, which is the usual case. */
function fitted(text: string, most: number): { shown: Html; bytes: number; isWhole: boolean } {
  // A character takes at least one byte, so the rest of a long text need not be escaped.
  let part = truncate(text, Math.max(most, 0));
  let markup = markupOf(part, text);
  let bytes = Buffer.byteLength(markup);
  while (bytes > most && part !== '') {
    // At least one character less each time.
    part = truncate(part, Math.min(Math.floor((part.length * most) / bytes), part.length - 1));
    markup = markupOf(part, text);
    bytes = Buffer.byteLength(markup);
  }
  return { shown: new Html(markup), bytes, isWhole: part === text };
}

function markupOf(part: string, text: string): string {
  return part === text ? escaped(text) : escaped(part) + ELLIPSIS;
}
