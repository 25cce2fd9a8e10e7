import { expect, it } from '@jest/globals';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { AssetViewModel } from './asset-view-model.js';
import { erasedBy } from './redactions.js';
import { ShownTimes } from './times.js';

it('a change is known as an erasure after TIME_ZONE was changed, too', () => {
  const us = 1_795_440_264_030_682;
  const at = new RegistryTime('Europe/Kyiv').print(us);
  const page = {
    values: { redacted: [{ pointer: '/description', reason: 'a court', at }] },
  } as unknown as AssetViewModel;
  for (const zone of ['Europe/Kyiv', 'UTC', 'America/New_York']) {
    const times = new ShownTimes(new RegistryTime(zone), zone);
    const shown = (atUs: number): string[] => erasedBy(page, atUs, 'en', times).map(({ text }) => text);
    expect([zone, shown(us)]).toEqual([zone, [expect.stringContaining('a court')]]);
    expect(shown(us + 1)).toEqual([]);
  }
});
