import { Presets, SingleBar } from 'cli-progress';
import { printable } from '../printable.js';
import type { Progress, ProgressReport } from './progress.js';

const PAUSE_MS = 1_000;
const SCALE = 1_000;

/** Shows progress on standard error until `stop`: a bar on a terminal, otherwise one JSON line per second. */
export function showProgress(progress: Progress, json: boolean): { stop(): void } {
  const show = process.stderr.isTTY && !json ? bar() : lines();
  const timer = setInterval(() => show.report(progress.report()), PAUSE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      show.report(progress.report());
      show.stop();
    },
  };
}

interface Display {
  report(report: ProgressReport): void;
  stop(): void;
}

function bar(): Display {
  const format = '{step} {bar} {percent}% {assets} assets, {rate}/s, {left} left {last} {follows} {waits}';
  const shown = new SingleBar({ format, hideCursor: true, emptyOnZero: true }, Presets.shades_classic);
  shown.start(100 * SCALE, 0, payloadOf(undefined));
  return {
    report: (report) => shown.update((report.percent ?? 0) * SCALE, payloadOf(report)),
    stop: () => shown.stop(),
  };
}

function payloadOf(report: ProgressReport | undefined): object {
  const waiting = report?.waiting;
  return {
    step: (report?.step ?? '').padEnd('newest first'.length),
    percent: report?.percent?.toFixed(1) ?? '?',
    assets: report?.assets ?? 0,
    rate: report?.assetsPerSecond ?? 0,
    left: timeText(report?.secondsLeft ?? null),
    last: printable(report?.lastAssetId ?? ''),
    follows: report === undefined ? '' : followingText(report),
    waits: waiting && !waiting.isLive ? `(${waiting.why ?? waiting.reason}, ${Math.ceil(waiting.ms / 1_000)} s)` : '',
  };
}

/** Formats `live`, `polling, 3:20 behind`. */
export function followingText({ follows, behindSeconds }: Pick<ProgressReport, 'follows' | 'behindSeconds'>): string {
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

function lines(): Display {
  return {
    report: (report) => void process.stderr.write(`${JSON.stringify(report)}\n`),
    stop: () => undefined,
  };
}
