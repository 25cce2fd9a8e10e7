import { Presets, SingleBar } from 'cli-progress';
import { printable } from '../printable.js';
import type { Progress, Standing } from './progress.js';

const PAUSE_MS = 1_000;
const SCALE = 1_000;

/** Shows a runner's progress on standard error until it is stopped: a bar on a terminal, otherwise one JSON line per second. */
export function showProgress(progress: Progress, json: boolean): { stop(): void } {
  const show = process.stderr.isTTY && !json ? bar() : lines();
  const timer = setInterval(() => show.standing(progress.standing()), PAUSE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      show.standing(progress.standing());
      show.stop();
    },
  };
}

interface Shown {
  standing(standing: Standing): void;
  stop(): void;
}

function bar(): Shown {
  const format = '{step} {bar} {percent}% {assets} assets, {rate}/s, {left} left {last} {follows} {waits}';
  const shown = new SingleBar({ format, hideCursor: true, emptyOnZero: true }, Presets.shades_classic);
  shown.start(100 * SCALE, 0, payloadOf(undefined));
  return {
    standing: (standing) => shown.update((standing.percent ?? 0) * SCALE, payloadOf(standing)),
    stop: () => shown.stop(),
  };
}

function payloadOf(standing: Standing | undefined): object {
  const waiting = standing?.waiting;
  return {
    step: (standing?.step ?? '').padEnd('newest first'.length),
    percent: standing?.percent?.toFixed(1) ?? '?',
    assets: standing?.assets ?? 0,
    rate: standing?.assetsPerSecond ?? 0,
    left: timeText(standing?.secondsLeft ?? null),
    last: printable(standing?.lastAssetId ?? ''),
    follows: standing === undefined ? '' : followingText(standing),
    waits: waiting && !waiting.isLive ? `(${waiting.why ?? waiting.reason}, ${Math.ceil(waiting.ms / 1_000)} s)` : '',
  };
}

/** Formats `live`, `polling, 3:20 behind`. */
export function followingText({ follows, behindSeconds }: Pick<Standing, 'follows' | 'behindSeconds'>): string {
  const behind = behindSeconds === null || behindSeconds === 0 ? [] : [`${timeText(behindSeconds)} behind`];
  return [...(follows === null ? [] : [follows]), ...behind].join(', ');
}

/** Formats `1:02:03`, `2:03`. */
export function timeText(seconds: number | null): string {
  if (seconds === null) return '?';
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, i) => (i === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

function lines(): Shown {
  return {
    standing: (standing) => void process.stderr.write(`${JSON.stringify(standing)}\n`),
    stop: () => undefined,
  };
}
