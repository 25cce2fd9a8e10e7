import { escaped, Html } from './html.js';

const ELLIPSIS = '…';

/** How much of a page its values may take, so that no asset makes it long, whatever is in it. */
export class Room {
  private isShort = false;

  /** @param left bytes, as they are sent */
  constructor(private left: number) {}

  /** Whether something had to be left out. */
  get hasShortened(): boolean {
    return this.isShort;
  }

  /** As much of `text` as there is room for. @param most bytes, as they are sent */
  take(text: string, most = this.left): Html {
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

/** As much of a text as fits. @param most bytes, as they are sent */
export function shortened(text: string, most: number): Html {
  return fitted(text, most).shown;
}

/** Escaped once: pages have hundreds of texts, and nearly all of them fit. */
function fitted(text: string, most: number): { shown: Html; bytes: number; isWhole: boolean } {
  let markup = escaped(text);
  let bytes = Buffer.byteLength(markup);
  if (bytes <= most) return { shown: new Html(markup), bytes, isWhole: true };
  let part = text;
  while (bytes > most && part !== '') {
    // At least one character less each time; half of a pair is none.
    const length = Math.min(Math.floor((part.length * most) / bytes), part.length - 1);
    part = part.slice(0, length).replace(/[\ud800-\udbff]$/, '');
    markup = escaped(part) + ELLIPSIS;
    bytes = Buffer.byteLength(markup);
  }
  return { shown: new Html(markup), bytes, isWhole: false };
}
