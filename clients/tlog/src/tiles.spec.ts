import { describe, expect, it } from '@jest/globals';
import { parseTilePath } from './tiles.js';

describe('the path of a tile', () => {
  it.each([
    ['0/000', { level: 0, number: 0, width: 256 }],
    ['63/999', { level: 63, number: 999, width: 256 }],
    ['1/x001/x234/067', { level: 1, number: 1_234_067, width: 256 }],
    ['0/x001/000.p/1', { level: 0, number: 1_000, width: 1 }],
    ['entries/000.p/255', { level: undefined, number: 0, width: 255 }],
  ])('%s is read', (path, tile) => {
    expect(parseTilePath(path)).toEqual(tile);
  });

  it.each([
    '0',
    '0/0',
    '00/000',
    '64/000',
    '0/x000/001',
    '0/001/002',
    '0/000.p/0',
    '0/000.p/01',
    '0/000.p/256',
    'Entries/000',
    '0/000\n',
  ])('%j is refused', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });
});
