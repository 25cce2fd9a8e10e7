/**
 * The rooms of src/, from the ground up. Each may import the rooms before it, and none behind it.
 * What each is for: docs/architecture.md.
 */
const ROOMS = [
  'asset-types',
  'platform',
  'database',
  'feed',
  'http',
  'auth',
  'listing',
  'assets',
  'log',
  'search',
  'pages',
  'openapi',
  'operations',
  'modules',
  'cli',
];

/** Libraries that one room alone may import; the others ask that room. */
const OWNERS = {
  database: ['typeorm', '@nestjs/typeorm', 'mysql2', 'embedded-sqlite'],
  http: ['express'],
  // Other rooms tell an observer of their own what happens, and it is counted there.
  operations: ['prom-client'],
};

/** Their reads may show commits that a crash undoes, or a torn view. */
const READERS = String.raw`^src/database/readers/(?:asset-reader|feed-reader|feed-view|revision-feed|revision-reader)\.ts$`;
const SPECS = String.raw`\.spec\.ts$`;
/** What puts the service together stands above all rooms. */
const TOP = String.raw`^src/[^/]+\.ts$`;
const inRoom = (room) => `^src/${room}/`;

const upwards = ROOMS.map((room, i) => ({
  name: `${room}-imports-nothing-above-it`,
  comment: `${room}/ stands before these rooms in .dependency-cruiser.mjs.`,
  severity: 'error',
  from: { path: inRoom(room), pathNot: SPECS },
  to: { path: [TOP, ...ROOMS.slice(i + 1).map(inRoom)] },
}));

const libraries = Object.entries(OWNERS).map(([room, names]) => ({
  name: `only-${room}-imports-its-libraries`,
  comment: `${names.join(', ')}: for ${room}/ alone.`,
  severity: 'error',
  from: { path: '^src/', pathNot: [inRoom(room), SPECS] },
  to: { path: names.map((name) => `node_modules/${name}/`) },
}));

export default {
  forbidden: [
    ...upwards,
    ...libraries,
    {
      name: 'no-circles',
      comment: 'Imports run one way, those of types too. Move what both files need into a file of its own.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-feed-reads-what-may-be-shown',
      comment: 'Ask feed/reading/, which waits until what it gives may be shown.',
      severity: 'error',
      from: { path: '^src/', pathNot: [inRoom('feed'), inRoom('database'), SPECS] },
      to: { path: READERS, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'modules-import-the-vocabulary',
      comment: 'What a team may use of the registry is named in modules/vocabulary.ts.',
      severity: 'error',
      from: { path: '^src/modules/[^/]+/', pathNot: SPECS },
      to: { path: '^src/', pathNot: String.raw`^src/modules/(?:vocabulary\.ts$|[^/]+/)` },
    },
    {
      name: 'every-room-has-a-place',
      comment: 'A new folder of src/ needs a place in ROOMS of .dependency-cruiser.mjs.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ROOMS.map(inRoom) },
      to: {},
    },
    {
      name: 'clients-know-the-service-by-its-api',
      comment: 'A client could be anywhere.',
      severity: 'error',
      from: { path: '^clients/[^/]+/src/' },
      to: { path: '^(?:src|test|bench|scripts)/' },
    },
    {
      name: 'tools-import-no-tests',
      comment:
        'Operators run them. What a tool and a test share is in scripts/; the pictures of README are taken by the tests.',
      severity: 'error',
      from: { path: '^scripts/', pathNot: String.raw`^scripts/screenshots\.ts$` },
      to: { path: '^test/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)dist/' },
  },
};
