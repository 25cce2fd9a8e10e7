import type { RegistryClient } from 'asset-registry-client';
import { Progress } from '../progress/progress.js';
import { showProgress } from '../progress/shown-progress.js';
import { type ClientPace, clientOf } from './client.js';

export interface ClientUse {
  url: string;
  /** Print progress as JSON on a terminal too. */
  json: boolean;
  pace?: ClientPace;
  signal: AbortSignal;
}

/** Runs `work` with a client, and shows its progress. Closes both afterwards. */
export async function withClient<T>(
  { url, json, pace, signal }: ClientUse,
  work: (client: RegistryClient, progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = new Progress();
  const client = clientOf(url, signal, { ...pace, onWait: (wait) => progress.wait(wait) });
  const shown = showProgress(progress, json);
  try {
    return await work(client, progress);
  } finally {
    shown.stop();
    await client.close();
  }
}
