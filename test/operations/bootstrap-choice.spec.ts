import { describe, expect, it } from '@jest/globals';
import {
  type BootstrapChoice,
  chooseBootstrap,
  type DataFolder,
  parseRecoveredPosition,
  parseSavedState,
  refusalOfNode,
  withSafeToBootstrap,
} from '../../scripts/galera/bootstrap-choice.js';

const CLUSTER = '34a7f39c-e57f-11f1-a9cf-ef0416ce16f3';
const OTHER_CLUSTER = '9bb1d2a4-e580-11f1-8a11-3f2f0d6c9e01';
const NO_CLUSTER = '00000000-0000-0000-0000-000000000000';
const GRASTATE = `# GALERA saved state\nversion: 2.1\nuuid:    ${CLUSTER}\nseqno:   -1\nsafe_to_bootstrap: 0\n`;

/** A node that died at a seqno. */
const dead = (path: string, seqno: number, change: Partial<DataFolder> = {}): DataFolder => ({
  path,
  recovered: { uuid: CLUSTER, seqno },
  saved: { uuid: CLUSTER, seqno: -1 },
  ...change,
});
const choose = (...folders: DataFolder[]): BootstrapChoice => chooseBootstrap(folders, 3);
const pathsOf = (choice: BootstrapChoice): string[] | string =>
  'refusal' in choice ? choice.refusal : choice.candidates.map((folder) => folder.path);

describe('the node that begins the new cluster', () => {
  it('is the one with the highest seqno', () => {
    expect(pathsOf(choose(dead('/a', 7), dead('/b', 12), dead('/c', 9)))).toEqual(['/b']);
  });

  it('compares numbers and not texts', () => {
    expect(pathsOf(choose(dead('/a', 9), dead('/b', 10), dead('/c', 2)))).toEqual(['/b']);
  });

  it('may be any of those that share the highest seqno', () => {
    const choice = choose(dead('/a', 12), dead('/b', 12), dead('/c', 9));
    expect(pathsOf(choice)).toEqual(['/a', '/b']);
    expect(refusalOfNode(choice, '/a')).toBeUndefined();
    expect(refusalOfNode(choice, '/b')).toBeUndefined();
  });

  it('is not one that is behind', () => {
    const choice = choose(dead('/a', 7), dead('/b', 12), dead('/c', 9));
    expect(refusalOfNode(choice, '/b')).toBeUndefined();
    expect(refusalOfNode(choice, '/a')).toMatch(/\/a is behind.*Take \/b\./);
    expect(refusalOfNode(choice, '/c')).toMatch(/\/c is behind/);
  });

  it('is not one that was not given', () => {
    expect(refusalOfNode(choose(dead('/a', 7), dead('/b', 7), dead('/c', 7)), '/d')).toMatch(/\/d/);
  });

  it('may have been stopped in order, which grastate.dat tells', () => {
    const stopped = dead('/a', 10, { saved: { uuid: CLUSTER, seqno: 12 } });
    expect(pathsOf(choose(stopped, dead('/b', 11), dead('/c', 9)))).toEqual(['/a']);
  });
});

describe('no node is chosen', () => {
  const good = [dead('/a', 7), dead('/b', 12)] as const;
  const third = (change: Partial<DataFolder>): BootstrapChoice => choose(...good, dead('/c', 20, change));

  it.each<[string, BootstrapChoice, RegExp]>([
    ['of two clusters', third({ recovered: { uuid: OTHER_CLUSTER, seqno: 20 }, saved: { uuid: OTHER_CLUSTER, seqno: -1 } }), /different clusters/], // prettier-ignore
    [
      'when grastate.dat and tables are of two clusters',
      third({ saved: { uuid: OTHER_CLUSTER, seqno: -1 } }),
      /\/c is of cluster/,
    ],
    ['when a folder cannot be read', third({ fault: 'cannot be read: EACCES' }), /\/c cannot be read: EACCES/],
    [
      'when a server is running on a folder',
      third({ fault: 'is in use: a server is running on it.' }),
      /\/c is in use/,
    ],
    ['when a folder has no position', third({ recovered: undefined }), /\/c has no position/],
    ['when a position is -1', third({ recovered: { uuid: CLUSTER, seqno: -1 } }), /\/c has no position/],
    ['when a position is of no cluster', third({ recovered: { uuid: NO_CLUSTER, seqno: 3 } }), /\/c has no position/],
    ['when a folder has no grastate.dat', third({ saved: undefined }), /\/c has no readable grastate\.dat/],
    [
      'when a copy of the data was not finished',
      third({ saved: { uuid: NO_CLUSTER, seqno: -1 } }),
      /\/c is not complete/,
    ],
    ['when a node is not given', choose(...good), /2 of the cluster's 3/],
    ['when a folder is given twice', choose(...good, dead('/a', 7)), /given twice/],
  ])('%s', (_, choice, refusal) => {
    expect(choice).toEqual({ refusal: expect.stringMatching(refusal) });
    for (const path of ['/a', '/b', '/c']) expect(refusalOfNode(choice, path)).toMatch(refusal);
  });
});

describe('what the server and Galera wrote is read', () => {
  it.each([
    [`2026-11-21  7:44:33 0 [Note] WSREP: Recovered position: ${CLUSTER}:7457\n`, { uuid: CLUSTER, seqno: 7457 }],
    [`[Note] WSREP: Recovered position: ${CLUSTER}:12,0-1-5\n`, { uuid: CLUSTER, seqno: 12 }],
    [`[Note] WSREP: Recovered position: ${NO_CLUSTER}:-1\n`, { uuid: NO_CLUSTER, seqno: -1 }],
    ['[Note] WSREP: disabled, skipping position recovery\n', undefined],
    ['', undefined],
  ])('%j', (log, position) => expect(parseRecoveredPosition(log)).toEqual(position));

  it('reads grastate.dat', () => {
    expect(parseSavedState(GRASTATE)).toEqual({ uuid: CLUSTER, seqno: -1 });
    expect(parseSavedState(GRASTATE.replace('seqno:   -1', 'seqno:   42'))).toEqual({ uuid: CLUSTER, seqno: 42 });
    expect(parseSavedState('')).toBeUndefined();
    expect(parseSavedState(`uuid: ${CLUSTER}\n`)).toBeUndefined();
  });

  it('marks grastate.dat and leaves the rest of it', () => {
    const marked = GRASTATE.replace('bootstrap: 0', 'bootstrap: 1');
    expect(withSafeToBootstrap(GRASTATE)).toBe(marked);
    expect(withSafeToBootstrap(marked)).toBe(marked);
    expect(withSafeToBootstrap(GRASTATE.replace('safe_to_bootstrap: 0\n', ''))).toBe(marked);
  });
});
