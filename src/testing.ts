/*
 * The entry point `asset-registry/testing`, with which packages of other repositories test their modules; docs/modules.md shows how.
 */

export { createApp, type MakeApplication, type Registry } from './app.js';
export { type Config, loadConfig } from './platform/config/config.js';
