import { expect, it } from '@jest/globals';
import { catalogData } from './catalog-data.js';
import type { PageContext } from './page-context.js';

type Node = Record<string, unknown>;

const A_TEXT = expect.stringMatching(/./);
const AN_ADDRESS = { '@id': expect.stringMatching(/^https:\/\/registry\.example\//) };
/** What DCAT-AP 3 (SEMIC, 2024-06-14) asks of each class. */
const MANDATORY = new Map<unknown, Node>([
  ['Dataset', { 'dct:title': A_TEXT, 'dct:description': A_TEXT }],
  ['Distribution', { accessURL: AN_ADDRESS }],
  ['DataService', { 'dct:title': A_TEXT, endpointURL: AN_ADDRESS }],
]);

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...('@type' in value ? [value as Node] : []), ...Object.values(value).flatMap(nodesIn)];
}

it.each(['uk', 'en'] as const)('the data set has what portals of open data must have (%s)', (language) => {
  const { text } = catalogData({ base: 'https://registry.example', language } as PageContext);
  const nodes = nodesIn(JSON.parse(text.replaceAll(/<[^>]*>/g, '')));
  expect(new Set(nodes.map((node) => node['@type']))).toEqual(new Set(MANDATORY.keys()));
  expect(nodes).toMatchObject(nodes.map((node) => MANDATORY.get(node['@type'])));
});
