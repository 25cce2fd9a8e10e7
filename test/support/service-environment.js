import './load-typescript.js';
import OrdinaryGlobals from './ordinary-globals.js';

let service;

/** Jest loads all code again for each file. This environment shares modules that a process loads once: see loaded-service.ts. */
export default class ServiceEnvironment extends OrdinaryGlobals {
  async setup() {
    await super.setup();
    this.global.loadServiceOnce = () => (service ??= import('./service.ts'));
  }
}
