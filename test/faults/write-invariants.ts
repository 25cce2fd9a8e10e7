/*
 * What must hold of the writes and of the versions that anybody saw. Pure functions over a history and the registry's state in the end;
 * each returns what breaks it, in sentences.
 */
import { type Content, FIELDS, instantAt, textOf } from './content.js';
import type { FinalAsset, FinalState } from './final-state.js';
import { byAsset, type History, type Write } from './history.js';
import { at, Sentences } from './sentences.js';

const ok = ({ outcome }: Write): boolean => outcome === 'ok';

function finalAsset(final: FinalState, asset: number): FinalAsset | undefined {
  return final.listed.get(asset) ?? final.details.get(asset);
}

function newest(writes: readonly Write[]): number {
  return writes.reduce((most, { us }) => Math.max(most, us), 0);
}

/** 5. The dateModified and the body that a write was answered are the listing's, until the asset is changed again. */
export function answersAreListed(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  for (const [asset, writes] of byAsset(history.writes)) {
    const listed = final.listed.get(asset);
    if (listed === undefined || writes.some(({ outcome }) => outcome === 'info')) continue;
    const last = newest(writes.filter(ok));
    if (listed.us !== last)
      sentences.add(
        `asset ${history.ids[asset]} was last acknowledged as of ${at(last)} and is listed with ${at(listed.us)}`,
      );
  }
  return [...sentences.all, ...oneBodyPerVersion(history)];
}

function oneBodyPerVersion(history: History): string[] {
  const sentences = new Sentences();
  const digests = new Map<number, number>();
  for (const { us, content } of history.writes) if (content !== undefined) digests.set(us, content.digest);
  const compare = (asset: number, us: number, digest: number): void => {
    const known = digests.get(us);
    if (known === undefined) digests.set(us, digest);
    else if (known !== digest)
      sentences.add(`asset ${history.ids[asset]} has been shown with two bodies as of ${at(us)}`);
  };
  for (const { asset, us, content } of history.details) compare(asset, us, content.digest);
  for (const { entries } of history.followers) {
    for (const { asset, us, digest } of entries) if (digest !== 0) compare(asset, us, digest);
  }
  return sentences.all;
}

/** 6. A write that was sent when another had been acknowledged has the greater dateModified. */
export function realTimeOrder(history: History): string[] {
  const sentences = new Sentences();
  const returned = history.writes.filter(ok).toSorted((a, b) => a.returned - b.returned);
  let next = 0;
  let last = 0;
  for (const write of returned.toSorted((a, b) => a.invoked - b.invoked)) {
    for (; next < returned.length && (returned[next] as Write).returned < write.invoked; next++) {
      last = Math.max(last, (returned[next] as Write).us);
    }
    if (write.us <= last)
      sentences.add(
        `${textOf(write.op)} was given ${at(write.us)} though ${at(last)} had been acknowledged before it was sent`,
      );
  }
  return sentences.all;
}

/** 9. Whatever was shown is still there or has a successor, and was written by somebody who may have succeeded. */
export function noPhantom(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  const groups = byAsset(history.writes);
  const acknowledged = new Set(history.writes.filter(ok).map(({ us }) => us));
  const unknown = new Map<number, Set<number>>();
  const see = (asset: number, us: number): void => {
    const current = finalAsset(final, asset);
    if (current !== undefined && us > current.us)
      sentences.add(
        `asset ${history.ids[asset]} was shown as of ${at(us)}, which the registry has forgotten: it has ${at(current.us)}`,
      );
    if (current === undefined && (final.details.has(asset) || !isDraft(groups.get(asset))))
      sentences.add(`asset ${history.ids[asset]} was shown as of ${at(us)} and is gone`);
    if (acknowledged.has(us)) return;
    const instants = unknown.get(asset) ?? new Set();
    unknown.set(asset, instants.add(us));
  };
  for (const { entries } of history.followers) for (const { asset, us } of entries) see(asset, us);
  for (const { asset, us } of history.details) see(asset, us);
  for (const [asset, { us }] of final.listed) see(asset, us);
  for (const [asset, instants] of unknown) {
    const writes = groups.get(asset) ?? [];
    const possible = writes.filter(({ outcome }) => outcome === 'info').length;
    if (instants.size > possible)
      sentences.add(
        `asset ${history.ids[asset]} was shown in ${instants.size} versions that nobody was answered, though only ${possible} writes got no answer`,
      );
  }
  return [...sentences.all, ...foreignTexts(history, final, groups)];
}

function isDraft(writes: readonly Write[] = []): boolean {
  return !writes.some(({ kind, outcome }) => kind === 'publish' && outcome === 'ok');
}

function foreignTexts(history: History, final: FinalState, groups: Map<number, Write[]>): string[] {
  const sentences = new Sentences();
  for (const [asset, observations] of observationsOf(history, final)) {
    const known = new Set((groups.get(asset) ?? []).filter(({ outcome }) => outcome !== 'fail').map(({ op }) => op));
    for (const { us, content } of observations) {
      const strange = content.ops.find((op) => !known.has(op));
      if (strange === undefined) continue;
      const text = strange === -1 ? 'a text that is not whole' : `the text of ${textOf(strange)}, which never was its`;
      sentences.add(`asset ${history.ids[asset]} as of ${at(us)} holds ${text}`);
    }
  }
  return sentences.all;
}

interface Observation {
  us: number;
  content: Content;
  /** When it was made. */
  seen: number;
}

/** Every version whose content somebody saw, by asset, in the order of their instants. */
function observationsOf(history: History, final: FinalState): Map<number, Observation[]> {
  const observations = new Map<number, Observation[]>();
  const see = (asset: number, observation: Observation): void => {
    const group = observations.get(asset);
    if (group === undefined) observations.set(asset, [observation]);
    else group.push(observation);
  };
  for (const { asset, us, content, returned } of history.writes)
    if (content) see(asset, { us, content, seen: returned });
  for (const { asset, us, content, returned } of history.details) see(asset, { us, content, seen: returned });
  for (const [asset, { us, content }] of final.listed) see(asset, { us, content, seen: Infinity });
  for (const [asset, detail] of final.details) if (detail !== undefined) see(asset, { ...detail, seen: Infinity });
  for (const group of observations.values()) group.sort((a, b) => a.us - b.us);
  return observations;
}

/** 10. A write without an answer took effect once or not at all: what has replaced its text is never replaced by it again. */
export function unknownAtMostOnce(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  for (const [asset, observations] of observationsOf(history, final)) {
    for (const [field, name] of FIELDS.entries()) {
      const over = new Set<number>();
      let current: number | undefined;
      for (const { us, content } of observations) {
        const op = content.ops[field] as number;
        if (op === current) continue;
        if (over.has(op))
          sentences.add(
            `${name} of asset ${history.ids[asset]} goes back to ${textOf(op)} as of ${at(us)}: that was written twice`,
          );
        if (current !== undefined) over.add(current);
        current = op;
      }
    }
  }
  return sentences.all;
}

/** 11. What was acknowledged is there in the end, as it was or changed again. */
export function nothingAcknowledgedIsLost(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  for (const [asset, writes] of byAsset(history.writes)) {
    const acknowledged = writes.filter(ok);
    if (acknowledged.length === 0) continue;
    const last = newest(acknowledged);
    const mustBeListed = acknowledged.some(({ content }) => content?.status !== 'draft');
    const current = mustBeListed ? final.listed.get(asset) : finalAsset(final, asset);
    // Of a large run not every draft is read.
    if (current === undefined && !mustBeListed && !final.details.has(asset)) continue;
    if (current === undefined) sentences.add(`asset ${history.ids[asset]}, acknowledged as of ${at(last)}, is lost`);
    else if (current.us < last)
      sentences.add(`asset ${history.ids[asset]}, acknowledged as of ${at(last)}, is back at ${at(current.us)}`);
  }
  return sentences.all;
}

const STATUS = { create: 'draft', publish: 'pending', delete: 'deleted' } as const;

/** 12. Every version is the merge of all changes acknowledged before it: writers of different fields don't undo each other. */
export function noLostUpdate(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  const groups = byAsset(history.writes);
  for (const [asset, observations] of observationsOf(history, final)) {
    const register = new Register(groups.get(asset) ?? []);
    for (const observation of observations) {
      for (const fault of register.faultsOf(observation)) {
        sentences.add(`asset ${history.ids[asset]} as of ${at(observation.us)} ${fault}`);
      }
    }
  }
  return sentences.all;
}

/** What an asset must be like, from one version to the next. */
class Register {
  private readonly acknowledged: readonly Write[];
  private readonly unknown: readonly Write[];
  /** By FIELDS: the last acknowledged write. */
  private readonly due: (number | undefined)[] = FIELDS.map(() => undefined);
  private status: string | undefined;
  private next = 0;

  constructor(writes: readonly Write[]) {
    this.acknowledged = writes.filter(ok).toSorted((a, b) => a.us - b.us);
    this.unknown = writes.filter(({ outcome }) => outcome === 'info');
  }

  /** To be called in the order of the versions. */
  faultsOf({ us, content, seen }: Observation): string[] {
    this.advanceTo(us);
    const faults = FIELDS.flatMap((name, field) => {
      const [op, due] = [content.ops[field] as number, this.due[field]];
      if (due === undefined || op === due || this.mayHaveWritten(op, field, seen)) return [];
      return [`has ${op === -1 ? 'no whole text' : textOf(op)} as ${name} after ${textOf(due)} was acknowledged`];
    });
    const { status } = this;
    if (status === undefined || content.status === status || this.mayHaveMoved(content.status, seen)) return faults;
    return [...faults, `is ${content.status} and not ${status}`];
  }

  private advanceTo(us: number): void {
    for (; (this.acknowledged[this.next]?.us ?? Infinity) <= us; this.next++) {
      const { op, fields, kind } = this.acknowledged[this.next] as Write;
      for (const field of FIELDS.keys()) if ((fields & (1 << field)) !== 0) this.due[field] = op;
      if (kind !== 'patch') this.status = STATUS[kind];
    }
  }

  private mayHaveWritten(op: number, field: number, seen: number): boolean {
    return this.unknown.some(
      (write) => write.op === op && (write.fields & (1 << field)) !== 0 && write.invoked <= seen,
    );
  }

  private mayHaveMoved(status: string, seen: number): boolean {
    return this.unknown.some(({ kind, invoked }) => kind !== 'patch' && STATUS[kind] === status && invoked <= seen);
  }
}

/** 13. assetIDs are unique and, day by day, dense and in the order of creation; the day is the local one of `date`. */
export function denseNumbers(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  const births = new Map<number, Birth>();
  for (const { asset, kind, outcome, assetID = '', day = '', us } of history.writes) {
    if (kind === 'create' && outcome === 'ok') births.set(asset, { assetID, day, us });
  }
  for (const [asset, { assetID, day, dateUs }] of [...final.listed, ...final.details].filter(hasDetail)) {
    const birth = births.get(asset);
    if (birth === undefined) births.set(asset, { assetID, day, us: dateUs });
    else if (birth.assetID !== assetID || birth.us !== dateUs)
      sentences.add(
        `asset ${history.ids[asset]} was created as ${birth.assetID} at ${at(birth.us)} and is ${assetID} of ${at(dateUs)}`,
      );
  }
  let gaps = 0;
  for (const [day, numbers] of numbersByDay(births.values(), sentences)) gaps += gapsOf(day, numbers, sentences);
  const unknown = history.writes.filter(({ kind, outcome }) => kind === 'create' && outcome === 'info').length;
  if (gaps > unknown)
    sentences.add(`${gaps} numbers are given to nobody, though only ${unknown} creates got no answer`);
  return sentences.all;
}

interface Birth {
  assetID: string;
  day: string;
  us: number;
}

type Numbers = { number: number; us: number }[];

function numbersByDay(births: Iterable<Birth>, sentences: Sentences): Map<string, Numbers> {
  const days = new Map<string, Numbers>();
  for (const { assetID, day, us } of births) {
    const number = Number(/-(\d{6,})$/.exec(assetID)?.[1]);
    if (!assetID.startsWith(`UA-${day}-`) || Number.isNaN(number)) sentences.add(`${assetID} was created on ${day}`);
    const numbers = days.get(day);
    if (numbers === undefined) days.set(day, [{ number, us }]);
    else numbers.push({ number, us });
  }
  return days;
}

function hasDetail(entry: [number, FinalAsset | undefined]): entry is [number, FinalAsset] {
  return entry[1] !== undefined;
}

function gapsOf(day: string, numbers: Numbers, sentences: Sentences): number {
  numbers.sort((a, b) => a.us - b.us);
  for (const [i, { number }] of numbers.entries()) {
    const before = numbers[i - 1]?.number ?? 0;
    if (number === before) sentences.add(`number ${number} of ${day} is given twice`);
    else if (number < before) sentences.add(`number ${number} of ${day} was given after ${before}`);
  }
  const given = new Set(numbers.map(({ number }) => number));
  let most = 0;
  for (const number of given) most = Math.max(most, number);
  return most - given.size;
}

const CLOCK_TOLERANCE_US = 1_500_000;
/** Four times what holds on a machine that has nothing else to do. */
const FIRST_WRITE_MS = 40_000;
const LONGEST_IN_FREEZE_MS = 32_000;

/** 15. Soon after the last fault writes succeed and synchronisers come to the end; no request outlasts a frozen database; times are true. */
export function liveness(history: History, final: FinalState): string[] {
  const sentences = new Sentences();
  const { firstWriteMs } = final;
  if (firstWriteMs === undefined) sentences.add('no write succeeded after the last fault');
  else if (firstWriteMs > FIRST_WRITE_MS)
    sentences.add(`the first write after the last fault succeeded only after ${Math.round(firstWriteMs)} ms`);
  const gap = longestWriteGapMs(history);
  if (gap > final.allowedWriteGapMs) sentences.add(`no write was acknowledged for ${Math.round(gap)} ms`);
  for (const name of final.behind) sentences.add(`${name} had not reached the end in time`);
  for (const { target, longestMs } of history.freezes) {
    if (target === 'database' && longestMs > LONGEST_IN_FREEZE_MS)
      sentences.add(`a request took ${Math.round(longestMs)} ms while the database was frozen`);
  }
  // A clock that was made to step is believed at the next start, as it must be.
  if (history.clockSteps > 0) return sentences.all;
  for (const { op, us, invoked, returned } of history.writes.filter(ok)) {
    if (us < instantAt(invoked) - CLOCK_TOLERANCE_US || us > instantAt(returned) + CLOCK_TOLERANCE_US)
      sentences.add(`${textOf(op)} was given ${at(us)}, but was sent at ${at(Math.floor(instantAt(invoked)))}`);
  }
  return sentences.all;
}

/** The longest time from one acknowledgement of a write to the next. */
function longestWriteGapMs({ writes }: History): number {
  const answers = writes.filter(ok).map(({ returned }) => returned);
  return Math.max(0, ...answers.slice(1).map((returned, i) => returned - (answers[i] as number)));
}
