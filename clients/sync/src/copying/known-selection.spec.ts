import { describe, expect, it } from '@jest/globals';
import type { RegistryClient } from 'asset-registry-client';
import { knownSelection } from './known-selection.js';

/* A type that was renamed; its older assets go on with the name that it had. */
const client = {
  types: async () => [{ name: 'vehicle', aliases: ['car'], fields: ['title', 'fuel'] }],
} as unknown as RegistryClient;

describe('what a copy is to keep', () => {
  it('has types by their current names', async () => {
    const asked = { fields: ['fuel'], types: ['car', 'vehicle'] };
    expect(await knownSelection(client, asked, undefined)).toEqual({ fields: ['fuel'], types: ['vehicle'] });
  });

  it('stays as it is where the copy keeps it', async () => {
    const kept = { fields: ['removed'], types: ['gone', 'car'] };
    const asked = { fields: ['removed', 'title'], types: ['gone', 'car', 'vehicle'] };
    expect(await knownSelection(client, asked, kept)).toEqual(asked);
    const others = { fields: null, types: ['gone', 'boat'] };
    await expect(knownSelection(client, others, kept)).rejects.toThrow(
      'The registry has no asset type boat; it has vehicle, car',
    );
    await expect(knownSelection(client, { fields: ['removed'], types: null }, undefined)).rejects.toThrow(
      'no field removed; it has title, fuel',
    );
  });
});
