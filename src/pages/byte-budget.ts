import { truncate } from '../platform/text/truncate.js';
import { escaped, Html } from './html.js';

const ELLIPSIS = '…';

/** How much of a page its values may take, so that no asset makes it long, whatever is in it. */
export class ByteBudget {
  private isShort = false;

  /** @param left bytes, as they are sent */
  constructor(private left: number) {}

  /** Whether something had to be left out. */
  get hasShortened(): boolean {
    return this.isShort;
  }

  /** @returns as much of `text` as there is room for. @param most bytes, as they are sent */
  shorten(text: string, most = this.left): Html {
    const { shown, bytes, isWhole } = fitted(text, Math.min(most, this.left));
    this.left -= bytes;
    if (!isWhole) this.isShort = true;
    return shown;
  }

  /** Markup that is shown whole or not at all. */
  fit(markup: Html): Html {
    return this.reserve(Buffer.byteLength(markup.text)) ? markup : new Html(ELLIPSIS);
  }

  /** @returns whether that many bytes were left; they are taken then */
  reserve(bytes: number): boolean {
    const isThere = this.left >= bytes;
    if (isThere) this.left -= bytes;
    else this.isShort = true;
    return isThere;
  }
}

/** @returns as much of a text as fits. @param most bytes, as they are sent */
export function shortened(text: string, most: number): Html {
  return fitted(text, most).shown;
}

/** Escaped once: pages have hundreds of texts, and nearly all of them fit. */
function fitted(text: string, most: number): { shown: Html; bytes: number; isWhole: boolean } {
  // A character takes a byte at least: what is beyond need not be looked at, however much it is.
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
