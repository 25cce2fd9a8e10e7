import { availableParallelism } from 'node:os';
import { SWC_OPTIONS } from './test/support/swc-options.js';

/** Shared by all projects. */
const project = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/ordinary-globals.js',
  extensionsToTreatAsEsm: ['.ts'],
  // TypeScript sources import each other with the suffix of the compiled file.
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'],
    // What is tested is the source of the clients, as everywhere, and not what was built of them.
    '^asset-registry-client$': '<rootDir>/clients/typescript/src/index.ts',
    '^(?:asset-registry-tlog|#tlog)$': '<rootDir>/clients/tlog/src/index.ts',
  },
  modulePathIgnorePatterns: [
    '<rootDir>/dist/',
    '<rootDir>/.build/',
    '<rootDir>/clients/[^/]+/dist/',
    '<rootDir>/.typeorm/',
    '<rootDir>/.tools/',
  ],
  transform: {
    '^.+\\.ts$': ['@swc/jest', SWC_OPTIONS],
  },
};

const withServices = {
  ...project,
  testEnvironment: '<rootDir>/test/support/service-environment.js',
  setupFilesAfterEnv: ['<rootDir>/test/support/validate-answers.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** Specs by the end of their names. */
const specs = (end, folders) => folders.map((folder) => `<rootDir>/${folder}/**/*${end}.ts`);

export default {
  // Tests wait for databases and processes: four on two cores leave none of them idle.
  maxWorkers: 2 * availableParallelism(),
  // Jest leaks about 10 MB for each file of native ES modules: a worker that grew is replaced.
  workerIdleMemoryLimit: '512MB',
  // Many times what the longest takes alone, as others run beside it, and a machine may be ten times slower for a while.
  testTimeout: 180_000,
  testSequencer: '<rootDir>/test/support/slowest-first.js',
  reporters: ['default', '<rootDir>/test/support/count-reporter.js'],
  projects: [
    {
      ...project,
      displayName: 'unit',
      testMatch: specs('.spec', ['src', 'test', 'clients/*/src']),
    },
    { ...withServices, displayName: 'e2e', testMatch: specs('.e2e-spec', ['test']) },
    // What proves by volume, measures, installs or builds: `npm run test:long`.
    { ...withServices, displayName: 'long', testMatch: specs('.long-spec', ['test']) },
  ],
};
