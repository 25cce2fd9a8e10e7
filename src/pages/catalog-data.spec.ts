import { expect, it } from '@jest/globals';
import { catalogData } from './catalog-data.js';
import type { PageContext } from './page-context.js';

type Node = Record<string, unknown>;

const A_TEXT = expect.stringMatching(/./);
const AN_ADDRESS = { '@id': expect.stringMatching(/^https:\/\/registry\.example\//) };
/** Mandatory properties of DCAT-AP 3 (SEMIC, 2024-06-14) by class. */
const MANDATORY = new Map<unknown, Node>([
  ['Catalog', { 'dct:title': A_TEXT, 'dct:description': A_TEXT, 'dct:publisher': { '@type': 'foaf:Agent' } }],
  ['foaf:Agent', { 'foaf:name': A_TEXT }],
  ['Dataset', { 'dct:title': A_TEXT, 'dct:description': A_TEXT }],
  ['Distribution', { accessURL: AN_ADDRESS }],
  ['DataService', { 'dct:title': A_TEXT, endpointURL: AN_ADDRESS }],
]);

function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...('@type' in value ? [value as Node] : []), ...Object.values(value).flatMap(nodesIn)];
}

const DATA_SET = ['Dataset', 'Distribution', 'DataService'];

it.each([
  ['uk', 'the data set', {}, DATA_SET],
  ['en', 'the data set', {}, DATA_SET],
  ['uk', 'the catalogue of a publisher', { publisherName: 'Агенція' }, [...MANDATORY.keys()]],
  ['en', 'the catalogue of a publisher', { publisherName: 'Агенція' }, [...MANDATORY.keys()]],
])('%s: %s has the mandatory properties of DCAT-AP', (language, _, publisher, classes) => {
  const { text } = catalogData({ base: 'https://registry.example', language, publisher } as PageContext);
  const nodes = nodesIn(JSON.parse(text.replaceAll(/<[^>]*>/g, '')));
  expect(new Set(nodes.map((node) => node['@type']))).toEqual(new Set(classes));
  expect(nodes).toMatchObject(nodes.map((node) => MANDATORY.get(node['@type'])));
});
