/** Control characters, except for line feeds and tabs, and bidirectional controls: in foreign text they could manipulate a terminal. */
const CONTROL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Makes a text of the registry safe to print. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, '\ufffd');
}
