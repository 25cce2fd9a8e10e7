/*
 * Invariants of the writes and of the versions that clients saw: pure functions of a history and the registry's final state, which return
 * violations
 * as violations.
 */
import { type Content, FIELDS, instantAt, textOf } from './content.js';
import type { FinalAsset, FinalState } from './final-state.js';
import { byAsset, type History, type Write } from './history.js';
import { at, Violations } from './violations.js';

const ok = ({ outcome }: Write): boolean => outcome === 'ok';

function finalAsset(final: FinalState, asset: number): FinalAsset | undefined {
  return final.listed.get(asset) ?? final.details.get(asset);
}

function newest(writes: readonly Write[]): number {
  return writes.reduce((most, { us }) => Math.max(most, us), 0);
}

/** 5. The dateModified and the body in a write's answer are those of the listing, until the asset changes again. */
export function answersAreListed(history: History, final: FinalState): string[] {
  const violations = new Violations();
  for (const [asset, writes] of byAsset(history.writes)) {
    const listed = final.listed.get(asset);
    if (listed === undefined || writes.some(({ outcome }) => outcome === 'info')) continue;
    const last = newest(writes.filter(ok));
    if (listed.us !== last)
      violations.add(
        `asset ${history.ids[asset]} was last acknowledged as of ${at(last)} and is listed with ${at(listed.us)}`,
      );
  }
  return [...violations.all, ...oneBodyPerVersion(history)];
}

function oneBodyPerVersion(history: History): string[] {
  const violations = new Violations();
  const digests = new Map<number, number>();
  for (const { us, content } of history.writes) if (content !== undefined) digests.set(us, content.digest);
  const compare = (asset: number, us: number, digest: number): void => {
    const known = digests.get(us);
    if (known === undefined) digests.set(us, digest);
    else if (known !== digest)
      violations.add(`asset ${history.ids[asset]} has been shown with two bodies as of ${at(us)}`);
  };
  for (const { asset, us, content } of history.details) compare(asset, us, content.digest);
  for (const { entries } of history.followers) {
    for (const { asset, us, digest } of entries) if (digest !== 0) compare(asset, us, digest);
  }
  return violations.all;
}

/** 6. A write sent after another was acknowledged has the greater dateModified. */
export function realTimeOrder(history: History): string[] {
  const violations = new Violations();
  const returned = history.writes.filter(ok).toSorted((a, b) => a.returned - b.returned);
  let next = 0;
  let last = 0;
  for (const write of returned.toSorted((a, b) => a.invoked - b.invoked)) {
    for (; next < returned.length && (returned[next] as Write).returned < write.invoked; next++) {
      last = Math.max(last, (returned[next] as Write).us);
    }
    if (write.us <= last)
      violations.add(
        `${textOf(write.op)} got ${at(write.us)} though ${at(last)} had been acknowledged before it was sent`,
      );
  }
  return violations.all;
}

/** 9. Every version that was shown is still there or has a successor, and comes from a write that may have succeeded. */
export function noPhantom(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const groups = byAsset(history.writes);
  const acknowledged = new Set(history.writes.filter(ok).map(({ us }) => us));
  const unknown = new Map<number, Set<number>>();
  const see = (asset: number, us: number): void => {
    const current = finalAsset(final, asset);
    if (current !== undefined && us > current.us)
      violations.add(
        `asset ${history.ids[asset]} was shown as of ${at(us)}, which the registry has forgotten: it has ${at(current.us)}`,
      );
    if (current === undefined && (final.details.has(asset) || !isDraft(groups.get(asset))))
      violations.add(`asset ${history.ids[asset]} was shown as of ${at(us)} and is gone`);
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
      violations.add(
        `asset ${history.ids[asset]} was shown in ${instants.size} versions that no answer acknowledged, though only ${possible} writes got no answer`,
      );
  }
  return [...violations.all, ...foreignTexts(history, final, groups)];
}

function isDraft(writes: readonly Write[] = []): boolean {
  return !writes.some(({ kind, outcome }) => kind === 'publish' && outcome === 'ok');
}

function foreignTexts(history: History, final: FinalState, groups: Map<number, Write[]>): string[] {
  const violations = new Violations();
  for (const [asset, observations] of observationsOf(history, final)) {
    const known = new Set((groups.get(asset) ?? []).filter(({ outcome }) => outcome !== 'fail').map(({ op }) => op));
    for (const { us, content } of observations) {
      const strange = content.ops.find((op) => !known.has(op));
      if (strange === undefined) continue;
      const text = strange === -1 ? 'a text that is not whole' : `the text of ${textOf(strange)}, which never was its`;
      violations.add(`asset ${history.ids[asset]} as of ${at(us)} has ${text}`);
    }
  }
  return violations.all;
}

interface Observation {
  us: number;
  content: Content;
  /** Time of the observation. */
  seen: number;
}

/** Every version whose content a client saw, by asset, in the order of instants. */
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

/** 10. A write without an answer took effect at most once: a text that was replaced never returns. */
export function unknownAtMostOnce(history: History, final: FinalState): string[] {
  const violations = new Violations();
  for (const [asset, observations] of observationsOf(history, final)) {
    for (const [field, name] of FIELDS.entries()) {
      const over = new Set<number>();
      let current: number | undefined;
      for (const { us, content } of observations) {
        const op = content.ops[field] as number;
        if (op === current) continue;
        if (over.has(op))
          violations.add(
            `${name} of asset ${history.ids[asset]} goes back to ${textOf(op)} as of ${at(us)}: that was written twice`,
          );
        if (current !== undefined) over.add(current);
        current = op;
      }
    }
  }
  return violations.all;
}

/** 11. Every acknowledged version is there at the end, unchanged or superseded. */
export function nothingAcknowledgedIsLost(history: History, final: FinalState): string[] {
  const violations = new Violations();
  for (const [asset, writes] of byAsset(history.writes)) {
    const acknowledged = writes.filter(ok);
    if (acknowledged.length === 0) continue;
    const last = newest(acknowledged);
    const mustBeListed = acknowledged.some(({ content }) => content?.status !== 'draft');
    const current = mustBeListed ? final.listed.get(asset) : finalAsset(final, asset);
    // In a large run only a sample of the drafts is read.
    if (current === undefined && !mustBeListed && !final.details.has(asset)) continue;
    if (current === undefined) violations.add(`asset ${history.ids[asset]}, acknowledged as of ${at(last)}, is lost`);
    else if (current.us < last)
      violations.add(`asset ${history.ids[asset]}, acknowledged as of ${at(last)}, is back at ${at(current.us)}`);
  }
  return violations.all;
}

const STATUS = { create: 'draft', publish: 'pending', delete: 'deleted' } as const;

/** 12. Every version merges all changes acknowledged before it: writers of different fields do not undo each other. */
export function noLostUpdate(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const groups = byAsset(history.writes);
  for (const [asset, observations] of observationsOf(history, final)) {
    const register = new Register(groups.get(asset) ?? []);
    for (const observation of observations) {
      for (const fault of register.faultsOf(observation)) {
        violations.add(`asset ${history.ids[asset]} as of ${at(observation.us)} ${fault}`);
      }
    }
  }
  return violations.all;
}

/** The expected state of an asset, from one version to the next. */
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

  /** Call in the order of the versions. */
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

/** 13. assetIDs are unique and, per day, dense and in the order of creation; the day is the local day of `date`. */
export function denseNumbers(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const births = new Map<number, Birth>();
  for (const { asset, kind, outcome, assetID = '', day = '', us } of history.writes) {
    if (kind === 'create' && outcome === 'ok') births.set(asset, { assetID, day, us });
  }
  for (const [asset, { assetID, day, dateUs }] of [...final.listed, ...final.details].filter(hasDetail)) {
    const birth = births.get(asset);
    if (birth === undefined) births.set(asset, { assetID, day, us: dateUs });
    else if (birth.assetID !== assetID || birth.us !== dateUs)
      violations.add(
        `asset ${history.ids[asset]} was created as ${birth.assetID} at ${at(birth.us)} and is ${assetID} of ${at(dateUs)}`,
      );
  }
  let gaps = 0;
  for (const [day, numbers] of numbersByDay(births.values(), violations)) gaps += gapsOf(day, numbers, violations);
  const unknown = history.writes.filter(({ kind, outcome }) => kind === 'create' && outcome === 'info').length;
  if (gaps > unknown) violations.add(`${gaps} numbers are unused, though only ${unknown} creates got no answer`);
  return violations.all;
}

interface Birth {
  assetID: string;
  day: string;
  us: number;
}

type Numbers = { number: number; us: number }[];

function numbersByDay(births: Iterable<Birth>, violations: Violations): Map<string, Numbers> {
  const days = new Map<string, Numbers>();
  for (const { assetID, day, us } of births) {
    const number = Number(/-(\d{6,})$/.exec(assetID)?.[1]);
    if (!assetID.startsWith(`UA-${day}-`) || Number.isNaN(number)) violations.add(`${assetID} was created on ${day}`);
    const numbers = days.get(day);
    if (numbers === undefined) days.set(day, [{ number, us }]);
    else numbers.push({ number, us });
  }
  return days;
}

function hasDetail(entry: [number, FinalAsset | undefined]): entry is [number, FinalAsset] {
  return entry[1] !== undefined;
}

function gapsOf(day: string, numbers: Numbers, violations: Violations): number {
  numbers.sort((a, b) => a.us - b.us);
  for (const [i, { number }] of numbers.entries()) {
    const before = numbers[i - 1]?.number ?? 0;
    if (number === before) violations.add(`number ${number} of ${day} is given twice`);
    else if (number < before) violations.add(`number ${number} of ${day} was given after ${before}`);
  }
  const given = new Set(numbers.map(({ number }) => number));
  let most = 0;
  for (const number of given) most = Math.max(most, number);
  return most - given.size;
}

const CLOCK_TOLERANCE_US = 1_500_000;
/** Four times the values of an idle machine. */
const FIRST_WRITE_MS = 40_000;
const LONGEST_IN_FREEZE_MS = 32_000;

/** 15. Soon after the last fault, writes succeed and synchronisers reach the end; no request outlasts a frozen database; times are true. */
export function liveness(history: History, final: FinalState): string[] {
  const violations = new Violations();
  const { firstWriteMs } = final;
  if (firstWriteMs === undefined) violations.add('no write succeeded after the last fault');
  else if (firstWriteMs > FIRST_WRITE_MS)
    violations.add(`the first write after the last fault succeeded only after ${Math.round(firstWriteMs)} ms`);
  const gap = longestWriteGapMs(history);
  if (gap > final.allowedWriteGapMs) violations.add(`no write was acknowledged for ${Math.round(gap)} ms`);
  for (const name of final.behind) violations.add(`${name} had not reached the end in time`);
  for (const { target, longestMs } of history.freezes) {
    if (target === 'database' && longestMs > LONGEST_IN_FREEZE_MS)
      violations.add(`a request took ${Math.round(longestMs)} ms while the database was frozen`);
  }
  // A stepped clock is trusted at the next start, by design.
  if (history.clockSteps > 0) return violations.all;
  for (const { op, us, invoked, returned } of history.writes.filter(ok)) {
    if (us < instantAt(invoked) - CLOCK_TOLERANCE_US || us > instantAt(returned) + CLOCK_TOLERANCE_US)
      violations.add(`${textOf(op)} was given ${at(us)}, but was sent at ${at(Math.floor(instantAt(invoked)))}`);
  }
  return violations.all;
}

/** The longest time between two acknowledged writes. */
function longestWriteGapMs({ writes }: History): number {
  const answers = writes.filter(ok).map(({ returned }) => returned);
  return Math.max(0, ...answers.slice(1).map((returned, i) => returned - (answers[i] as number)));
}
