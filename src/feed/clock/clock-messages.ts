import type { ClockFault } from './clock-fault.js';

const UNITS: readonly [unit: string, us: number][] = [
  ['days', 86_400_000_000],
  ['hours', 3_600_000_000],
  ['minutes', 60_000_000],
];
const TENTH_US = 100_000;

/** Prints a duration, given in microseconds, in the largest unit that it contains twice: `7305 days`, `3 hours`, `1.5 s`. */
export function formatDuration(us: number): string {
  const [unit, size] = UNITS.find(([, unitUs]) => us >= 2 * unitUs) ?? [];
  return size === undefined ? `${Math.floor(us / TENTH_US) / 10} s` : `${Math.floor(us / size)} ${unit}`;
}

/** Describes a fault in half a sentence. @param print formats an instant */
export function describeClockFault({ kind, aheadUs, referenceUs }: ClockFault, print: (us: number) => string): string {
  const clock = `the system's clock is ${formatDuration(Math.abs(aheadUs))}`;
  switch (kind) {
    case 'server':
      return `${clock} ${aheadUs > 0 ? 'ahead of' : 'behind'} the database server's`;
    case 'instants':
      return `${clock} behind the last instant that was given out, ${print(referenceUs)}`;
    case 'back':
      return `${clock} behind the time at which the registry was last at work, ${print(referenceUs)}`;
    case 'jump':
      return `${clock} ahead of the time at which the registry was last at work, ${print(referenceUs)}`;
    case 'step':
      return `${clock} ${aheadUs > 0 ? 'ahead of' : 'behind'} where it was: it was set while the service ran`;
  }
}

/** Says what an operator can do about it. */
export function adviceOnClockFault({ kind }: ClockFault): string {
  switch (kind) {
    case 'server':
      return 'correct whichever clock is wrong; the bound is CLOCK_MAX_STEP';
    case 'instants':
      return 'correct the clock if it is wrong, else see "registry clock"; the bound is CLOCK_MAX_STEP';
    case 'back':
      return 'correct the clock if it is wrong, else run "registry clock accept"; the bound is CLOCK_MAX_STEP';
    case 'jump':
      return 'correct the clock if it is wrong, else run "registry clock accept"; the bound is CLOCK_MAX_JUMP';
    case 'step':
      return 'the service follows it after five minutes without another step, or at a restart; the bound is CLOCK_MAX_STEP';
  }
}
