/** What would move the cursor of a terminal, or more, in what somebody else has written: controls but line feeds and tabs, and what turns the order. */
const CONTROL = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** A text of the registry as it is shown to people. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, '\ufffd');
}
