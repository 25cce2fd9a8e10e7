import { Injectable } from '@nestjs/common';
import { printAsset } from '../asset/asset-view.js';
import type { ReadAsset } from '../database/asset-row.js';
import type { EncodedText } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';

const [QUOTE, COLON, BACKSLASH] = ['"', ':', '\\'].map((one) => one.charCodeAt(0));

/** States as the API prints them: what a commitment binds, and what a reader compares with it. */
@Injectable()
export class StatePrinter {
  constructor(private readonly time: RegistryTime) {}

  /**
   * A state as JSON text. @returns undefined where it is no JSON any more, or has a name twice, of which some readers take the first: somebody
   * has changed a present state, which has no checksum
   */
  text(asset: ReadAsset): EncodedText | undefined {
    const text = printAsset(asset, this.time);
    // What is JSON is JSON with a character for each byte, too.
    const characters = text.toString('latin1');
    const value = parsed(characters);
    return value === undefined || hasNameTwice(characters, value) ? undefined : text;
  }

  /** A state as the value of its JSON text. @returns undefined as `text` */
  parsed(asset: ReadAsset): Record<string, unknown> | undefined {
    return parsed(printAsset(asset, this.time).toString());
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** @param text JSON @param value what was parsed of it: of members of one name, the last */
function hasNameTwice(text: string, value: object): boolean {
  return membersWritten(text) !== membersOf(value);
}

/** How many members the objects in a JSON text have: as many as there are colons outside of its strings. */
function membersWritten(text: string): number {
  let count = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) isInString = !isInString;
    else if (!isInString) count += code === COLON ? 1 : 0;
    else if (code === BACKSLASH) i++;
  }
  return count;
}

/** The same of a value, however deep it is. */
function membersOf(value: object): number {
  const left = [value];
  let count = 0;
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const members = Object.values(one) as unknown[];
    if (!Array.isArray(one)) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) left.push(member);
  }
  return count;
}
