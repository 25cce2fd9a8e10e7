/*
 * The service as the tests of a team's module start it: `asset-registry/testing` in a package of another repository. docs/modules.md shows how.
 */

export { createApp, type MakeApplication, type Registry } from './app.js';
export { type Config, loadConfig } from './platform/config/config.js';
