/** A piece of a page (or of an Atom feed) whose markup is ours: it is put into others as it is. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may stand in a template; what is undefined or false is nothing. */
export type Part = Html | string | number | undefined | false | readonly Part[];

/** Markup with values in it. Whatever is no markup itself is escaped, so that it is text, also between the quotes of an attribute. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = dense(strings);
  let text = markup[0] as string;
  for (const [i, part] of parts.entries()) {
    const shown = textOf(part);
    const next = markup[i + 1] as string;
    // Around an empty part one space is enough.
    text += shown === '' && text.endsWith(' ') ? next.trimStart() : shown + next;
  }
  return new Html(text);
}

/** Each template's markup, as it is sent. */
const sent = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Indented for those who read the source, not for those who load the page. */
function dense(strings: TemplateStringsArray): readonly string[] {
  let markup = sent.get(strings);
  if (markup === undefined) {
    markup = strings.map((part) => part.replaceAll(/\s*\n\s*/g, ' '));
    sent.set(strings, markup);
  }
  return markup;
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

// Those after the quotes are no characters of XML.
// oxlint-disable-next-line no-control-regex -- the control characters that XML may not hold are the point here
const SPECIAL = /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
const ALL_SPECIAL = new RegExp(SPECIAL, 'g');
const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it is written in HTML and XML. */
export function escaped(text: string): string {
  // Most texts have none, and a page has hundreds of texts.
  if (!SPECIAL.test(text)) return text;
  return text.replaceAll(ALL_SPECIAL, (character) => REFERENCES[character] ?? '\ufffd');
}
