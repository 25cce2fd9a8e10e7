import { printParseErrorCode, visit } from 'jsonc-parser';

/*
 * Explains where and why a JSON text is invalid. The engine's own message often lacks the position, and quotes the text, which may contain a
 * token.
 */

/** Only such keys are quoted in messages; others may contain secrets. */
const PLAIN_KEY = /^[A-Za-z]{1,40}$/;
const BYTE_ORDER_MARK = '\ufeff';

/** Continuations of "No JSON object could be decoded: …" by the parser's error names; line and column follow. */
const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'an unknown word or character stands at',
  InvalidNumberFormat: 'no JSON value stands at',
  PropertyNameExpected: 'a key in double quotes is missing at',
  ValueExpected: 'a value is missing at',
  ColonExpected: 'a colon is missing at',
  CommaExpected: 'a comma is missing at',
  CloseBraceExpected: 'a comma or } is missing at',
  CloseBracketExpected: 'a comma or ] is missing at',
  EndOfFileExpected: 'it should have ended before',
  InvalidCommentToken: 'JSON has no comments, but one stands at',
  UnexpectedEndOfComment: 'JSON has no comments, but one stands at',
  UnexpectedEndOfString: 'the string is not closed that begins at',
  UnexpectedEndOfNumber: 'the number breaks off that begins at',
  InvalidUnicode: 'a backslash begins no escape in the string at',
  InvalidEscapeCharacter: 'a backslash begins no escape in the string at',
  InvalidCharacter: 'a line break, or another control character, stands in the string at',
};

/** @returns the first fault of `text`, to end a sentence; undefined if the parser finds no fault. Check the depth of `text` before */
export function findJsonFault(text: string): string | undefined {
  if (text.startsWith(BYTE_ORDER_MARK)) return 'it begins with a byte order mark';
  if (text.trim() === '') return 'it is empty';
  let first: string | undefined;
  const note = (fault: string, line: number, column: number): void => {
    first ??= `${fault} line ${line + 1}, column ${column + 1}`;
  };
  const objects: Set<string>[] = [];
  visit(
    text,
    {
      onObjectBegin: () => void objects.push(new Set()),
      onObjectEnd: () => void objects.pop(),
      onObjectProperty: (key, _offset, _length, line, column) => {
        const keys = objects.at(-1);
        if (keys?.has(key)) note(`${PLAIN_KEY.test(key) ? `the key ${key}` : 'a key'} is repeated at`, line, column);
        keys?.add(key);
      },
      onError: (code, offset, _length, line, column) =>
        note((offset < text.length && FAULTS[printParseErrorCode(code)]) || 'it breaks off at', line, column),
    },
    { disallowComments: true },
  );
  return first;
}
