import basic from '../../src/asset-types/basic/basic.example.json' with { type: 'json' };
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };

/** A character that compatibility normalisation (NFKC) expands to eighteen. */
const LIGATURE = '\u{fdfa}';
const MAX_BYTES = 1024 * 1024;
const MAX_ITEMS = 450;
/** Just below the limit of members in a body, above which it is refused at once. */
const MAX_MEMBERS = 9_600;
const MAX_MEMBERS_OF_ONE = 3_200;
const MAX_VALUES = 19_000;
const MAX_IN_TEXT = 2_000;
/** Nesting of arrays in a field of an asset. */
const MAX_DEPTH = 12;

type JsonObject = Record<string, unknown>;

/** A body with several hundred items in as many regions, each with another description. */
export function manyItems(): JsonObject {
  const [item] = compound.data.items;
  const items = Array.from({ length: MAX_ITEMS }, (_, i) => ({
    ...item,
    description: `${i} ${'\u{1d518}'.repeat(200)}`,
    address: { ...item?.address, region: `${i} ${LIGATURE.repeat(60)}` },
  }));
  return { ...compound.data, title: LIGATURE.repeat(MAX_IN_TEXT), items, status: 'draft' };
}

/** A body with items whose regions are distinct and of maximum length, which costs the search index work. */
export function longRegions(): JsonObject {
  const [item] = compound.data.items;
  const items = Array.from({ length: 160 }, (_, i) => ({
    ...item,
    address: { ...item?.address, region: `${i} ${LIGATURE.repeat(MAX_IN_TEXT - 10)}` },
  }));
  return { ...compound.data, title: '<&">'.repeat(500), items, status: 'draft' };
}

/** A change to every item of an asset, by their ids. */
export function changedItems(asset: JsonObject, description: string): JsonObject {
  const items = asset['items'] as { id: string }[];
  return { items: Object.fromEntries(items.map(({ id }) => [id, { description }])) };
}

const data = (text: string): string => `{"data":${text}}`;
const filled = (piece: string, before: string, after: string): string =>
  before + piece.repeat(Math.floor((MAX_BYTES - Buffer.byteLength(before + after) - 20) / piece.length)) + after;

/** As many members as one object may have. */
function manyMembers(member: (i: number) => string): string {
  return Array.from({ length: MAX_MEMBERS_OF_ONE }, (_, i) => member(i)).join(',');
}

/** As many members as a body may have. @param last members of the outermost object */
function severalObjects(last: string): string {
  const inner = manyMembers((i) => `"member number ${i}":${i}`);
  return `{${['a', 'b', 'c'].map((key) => `"x${key}":{${inner}}`).join(',')},${last}}`;
}

/** Bodies that are refused late, by what they contain much of. */
export const REFUSED_BODIES: Readonly<Record<string, string>> = {
  nested: filled('[', '', ''),
  members: data(`{"assetType":"x",${manyMembers((i) => `"m${i}":${i}`)}}`),
  'members of several': data(severalObjects('"x":1')),
  repeated: data(filled('"title":"x",', '{', '"title":"y"}')),
  digits: data(filled('9', '{"quantity":', '}')),
  escapes: data(filled('\\u0041', '{"title":"', '"}')),
  items: data(
    `{"assetType":"compound","items":[${'{"":1},'.repeat(MAX_MEMBERS)}${'{},'.repeat(MAX_VALUES - MAX_MEMBERS)}{}]}`,
  ),
  numbers: data(`{"assetType":"compound","items":[${'1.1234567891,'.repeat(MAX_VALUES / 2)}1]}`),
  infinities: data(`{"assetType":"compound","items":[${'1e999,'.repeat(MAX_VALUES)}1]}`),
  values: data(filled('1,', '{"assetType":"compound","items":[', '1]}')),
  description: data(filled('x', `{"assetType":"basic","description":"`, '"}')),
  exponents: data(`{"assetType":"compound","items":[${'1e9,'.repeat(MAX_VALUES)}1]}`),
  arrays: data(filled(`${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)},`, '{"assetType":"compound","items":[', '1]}')),
  'a key repeated at the end': data(severalObjects('"a":{},"\\u0061":{}')),
  'a comma at the end': `{"data":${filled('\\"', '{"title":"', '"}')},}`,
  spaces: filled(' ', data(JSON.stringify(basic.data)), 'x'),
  bytes: filled('{"a":', '', ''),
};

const members = `{${manyMembers((i) => `"m${i}":null`)}}`;

/** Refused changes of any asset with items, by what is heavy in them; the last ones repeat the asset unchanged, so all of it must be compared. */
export const REFUSED_CHANGES: Readonly<Record<string, (asset: JsonObject) => string>> = {
  members: () => data(members),
  'members of a field': () => data(`{"value":${members}}`),
  'items, each unknown': () => data(`{"items":[${'{},'.repeat(MAX_VALUES)}{}]}`),
  'items by their ids, each with unknown members': (asset) =>
    data(
      JSON.stringify({
        items: Object.fromEntries(
          (asset['items'] as { id: string }[]).map(({ id }) => [id, { classificatoin: 1, quantitty: 1 }]),
        ),
      }),
    ),
  'the last item': (asset) => {
    const items = asset['items'] as JsonObject[];
    return data(JSON.stringify({ items: [...items.slice(0, -1), { ...items.at(-1), quantity: -1 }] }));
  },
};

const LAST = 'Host: a\r\nConnection: close\r\n\r\n';

/** A creation without a key whose body arrives in one-byte chunks, each of which the parser reports separately. */
export function smallChunks(path: string): string {
  const head = `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${LAST}`;
  return `${head}${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`;
}

/** As many requests as one read of a socket can contain. */
export function requestsOfNoPath(): string {
  return `${'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000)}GET /x HTTP/1.1\r\n${LAST}`;
}
