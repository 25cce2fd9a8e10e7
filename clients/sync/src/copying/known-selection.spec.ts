import { describe, expect, it } from '@jest/globals';
import type { RegistryClient } from 'asset-registry-client';
import { knownSelection } from './known-selection.js';

/* A renamed type, whose older assets have its former name. */
const client = {
  types: async () => [{ name: 'vehicle', aliases: ['car'], fields: ['title', 'fuel'] }],
} as unknown as RegistryClient;

describe('what a copy is to keep', () => {
  it('has types by their current names', async () => {
    const asked = { fields: ['fuel'], types: ['car', 'vehicle'], filter: null };
    expect(await knownSelection(client, asked, undefined)).toEqual({ ...asked, types: ['vehicle'] });
  });
});
