/** Markup that is inserted without escaping. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template; undefined and false are printed as nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[];

/** A template of markup. Values other than `Html` are escaped, for text and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = withoutIndentation(strings);
  let text = markup[0] as string;
  for (const [i, part] of parts.entries()) {
    const shown = textOf(part);
    const next = markup[i + 1] as string;
    // Around an empty part one space is enough.
    text += shown === '' && text.endsWith(' ') ? next.trimStart() : shown + next;
  }
  return new Html(text);
}

const markups = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Removes the indentation of the source. */
function withoutIndentation(strings: TemplateStringsArray): readonly string[] {
  let markup = markups.get(strings);
  if (markup === undefined) {
    markup = strings.map((part) => part.replaceAll(/\s*\n\s*/g, ' '));
    markups.set(strings, markup);
  }
  return markup;
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

// The control characters are not allowed in XML.
// oxlint-disable-next-line no-control-regex -- the control characters that XML must not contain are intended here
const SPECIAL = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const ALL_SPECIAL = new RegExp(SPECIAL, 'g');
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML and XML. */
export function escaped(text: string): string {
  // A page has hundreds of texts, and most need no escaping.
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll(ALL_SPECIAL, (character) => REFERENCES[character] ?? '\ufffd');
}
