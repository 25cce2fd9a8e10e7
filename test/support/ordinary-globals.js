import { constants, createContext } from 'node:vm';
import NodeEnvironment from 'jest-environment-node';

/** Globals that Jest replaces by its realm's. */
const REPLACED = ['Buffer', 'ArrayBuffer', 'Uint8Array', 'global'];

/**
 * Jest's environment for Node with an ordinary global object. Jest's own is behind an interceptor and a proxy, which slow down every use of
 * `Object`, `Promise` or `Buffer` in tests and tested code.
 */
export default class OrdinaryGlobals extends NodeEnvironment {
  constructor(config, context) {
    super(config, context);
    const made = this.global;
    const global = createContext(constants.DONT_CONTEXTIFY);
    for (const name of Reflect.ownKeys(made))
      if (!Object.hasOwn(global, name))
        Object.defineProperty(global, name, Object.getOwnPropertyDescriptor(made, name));
    for (const name of REPLACED) global[name] = name === 'global' ? global : made[name];
    this.context = global;
    this.global = global;
    this.moduleMocker = new this.moduleMocker.constructor(global);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: config.projectConfig, global });
  }
}
