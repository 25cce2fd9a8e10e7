import { countMembers } from './json-text.js';

/*
 * JavaScript's own parser cannot give way, and takes up to 20 ms for a megabyte of short keys or texts. A large text is therefore parsed
 * in pieces, each between two commas of one object or array, and what they hold is put together.
 */

/** Of keys of a few characters, which take the longest, a millisecond or two. */
const CHARACTERS_OF_A_PIECE = 16 * 1024;
const NO_BLANK = /[^ \t\n\r]/;

export interface ParsedJson {
  value: unknown;
  /** Members of all objects, where equal keys have become one. */
  members: number;
}

/** An object or an array that the scan is in, or has left. */
interface Container {
  isArray: boolean;
  begin: number;
  /** Behind the comma, or the bracket, before the present member or element. */
  itemBegin: number;
  /** Where the text begins that stands in no piece yet. */
  pieceBegin: number;
  /** It is made of pieces, which are put into it. */
  whole: object | undefined;
  /** Its last member or element is made of pieces itself, and no comma came since. */
  isBehindWhole: boolean;
}

/**
 * Cuts a JSON text. The scan tells all brackets and commas that stand outside of strings, whether or not the syntax is right: each piece is
 * checked by the parser, and what stands between them here.
 */
export class JsonPieces {
  private readonly containers: Container[] = [];
  private readonly work: (() => void)[] = [];
  private readonly parsed: ParsedJson = { value: undefined, members: 0 };
  private lastCut = 0;

  constructor(private readonly text: string) {}

  get areCut(): boolean {
    return this.work.length > 0;
  }

  open(at: number, isArray: boolean): void {
    this.containers.push({
      isArray,
      begin: at,
      itemBegin: at + 1,
      pieceBegin: at + 1,
      whole: undefined,
      isBehindWhole: false,
    });
  }

  comma(at: number): void {
    const container = this.containers.at(-1);
    if (container === undefined) return;
    const isLong = at - this.lastCut >= CHARACTERS_OF_A_PIECE;
    if (isLong) {
      this.lastCut = at;
      this.makeWhole(this.containers.length - 1);
    }
    if (isLong || container.isBehindWhole) this.endPiece(container, at);
    container.itemBegin = at + 1;
  }

  close(at: number): void {
    const { text, parsed } = this;
    const closed = this.containers.pop();
    if (closed?.whole === undefined) return;
    this.endPiece(closed, at);
    const isRight = text[at] === (closed.isArray ? ']' : '}');
    const outer = this.containers.at(-1);
    if (outer !== undefined) Object.assign(outer, { pieceBegin: at + 1, isBehindWhole: true });
    this.work.push(() => {
      check(isRight && (outer !== undefined || isBlank(text.slice(at + 1))));
      if (outer === undefined) parsed.value = closed.whole;
    });
  }

  /** After the scan. @throws SyntaxError */
  *parse(): Generator<void, ParsedJson> {
    const { work, parsed } = this;
    for (const step of work) {
      step();
      yield;
    }
    check(parsed.value !== undefined);
    return parsed;
  }

  /** From now on the container is put together, and so are those around it. */
  private makeWhole(level: number): void {
    const container = this.containers[level] as Container;
    if (container.whole !== undefined) return;
    const whole: object = container.isArray ? [] : {};
    container.whole = whole;
    const outer = this.containers[level - 1];
    if (outer === undefined) {
      this.work.push(() => check(isBlank(this.text.slice(0, container.begin))));
      return;
    }
    this.makeWhole(level - 1);
    if (outer.itemBegin > outer.pieceBegin) this.endPiece(outer, outer.itemBegin - 1);
    const { isBehindWhole } = outer;
    const before = this.text.slice(outer.itemBegin, container.begin);
    this.work.push(() => {
      // Where a comma is missing: the parser would find that as well, after it has read what is whole already.
      check(!isBehindWhole);
      // An empty array in the place of the container: what stands before it is a key, or nothing.
      this.put(outer, `${before}[]`, whole);
    });
  }

  private endPiece(container: Container, end: number): void {
    const { isBehindWhole } = container;
    const piece = this.text.slice(container.pieceBegin, end);
    this.work.push(isBehindWhole ? () => check(isBlank(piece)) : () => this.put(container, piece));
    container.pieceBegin = end + 1;
    container.isBehindWhole = false;
  }

  /**
   * Puts the members or elements of a piece into their container.
   * @param instead of the value of the only one
   */
  private put({ isArray, whole }: Container, piece: string, instead?: object): void {
    const inner = JSON.parse(isArray ? `[${piece}]` : `{${piece}}`) as Record<string, unknown>;
    const keys = Object.keys(inner);
    // A comma has something before it and behind it.
    check(keys.length > 0);
    for (const key of keys) {
      const value = instead ?? inner[key];
      if (isArray) (whole as unknown[]).push(value);
      else this.setMember(whole as object, key, value);
    }
    this.parsed.members += countMembers(isArray ? inner : Object.values(inner));
  }

  private setMember(object: object, key: string, value: unknown): void {
    if (!Object.hasOwn(object, key)) this.parsed.members++;
    // Not by assignment alone: a hostile key such as __proto__ would call a setter.
    if (key in Object.prototype)
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    else (object as Record<string, unknown>)[key] = value;
  }
}

function isBlank(text: string): boolean {
  return !NO_BLANK.test(text);
}

/** @throws SyntaxError */
function check(isRight: boolean): void {
  if (!isRight) throw new SyntaxError('No JSON');
}
