/*
 * The built-in types: a line here installs a type.
 */

export { basic } from './basic/basic.asset-type.js';
export { claimRights } from './claim-rights/claim-rights.asset-type.js';
export { compound } from './compound/compound.asset-type.js';
