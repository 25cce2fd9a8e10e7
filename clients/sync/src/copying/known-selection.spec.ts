import { describe, expect, it } from '@jest/globals';
import type { RegistryClient } from 'asset-registry-client';
import { knownSelection } from './known-selection.js';

/* A type that was renamed; its older assets go on with the name that it had. */
const client = {
  types: async () => [{ name: 'vehicle', aliases: ['car'], fields: ['title', 'fuel'] }],
} as unknown as RegistryClient;

describe('what a copy is to keep', () => {
  it('has types by their current names', async () => {
    const asked = { fields: ['fuel'], types: ['car', 'vehicle'], filter: null };
    expect(await knownSelection(client, asked, undefined)).toEqual({ ...asked, types: ['vehicle'] });
  });
});
