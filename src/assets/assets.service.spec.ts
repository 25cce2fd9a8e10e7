import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AssetTypes } from '../asset-types/asset-types.js';
import type { AssetReader } from '../database/asset-reader.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { DurableClock } from '../feed/durable-clock.js';
import type { Ledger } from '../feed/writing/ledger.js';
import type { RegistryTime } from '../time/registry-time.js';
import { AssetsService } from './assets.service.js';

const WRITTEN_BY_ANOTHER_PROCESS = { id: 'a', modifiedUs: 5 } as Asset;
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('where a commit is visible before it is durable', () => {
  let endFlush: () => void;
  let assets: AssetsService;

  beforeEach(() => {
    const durable = new DurableClock({
      needsBarrier: () => true,
      flush: () => new Promise((resolve) => (endFlush = resolve)),
    });
    assets = new AssetsService(
      { find: () => Promise.resolve(WRITTEN_BY_ANOTHER_PROCESS) } as unknown as AssetReader,
      {} as AssetTypes,
      { submit: () => Promise.resolve(WRITTEN_BY_ANOTHER_PROCESS) } as unknown as Ledger,
      durable,
      {} as RegistryTime,
    );
  });

  const patch = {
    id: 'a',
    data: {},
    account: { name: 'x', role: 'broker' },
    permission: () => undefined,
    ifMatch: undefined,
    caller: { requestId: 'r', waitedMs: 0, isGone: () => false, whenGone: () => undefined, worked: () => undefined },
  } as const;

  it.each<[string, () => Promise<{ id: string }>]>([
    ['an asset is shown', () => assets.get('a')],
    ['a change of nothing is answered', () => assets.change(patch)],
  ])('%s when it is durable, and not before', async (_, ask) => {
    let isAnswered = false;
    const answer = ask().then((asset) => {
      isAnswered = true;
      return asset;
    });
    await turn();
    expect(isAnswered).toBe(false);
    endFlush();
    expect(await answer).toBe(WRITTEN_BY_ANOTHER_PROCESS);
  });
});
