import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { importPackage, OWN_NAME } from '../asset-types/shared-packages.js';
import { StartError } from '../platform/errors/start-error.js';

const require = createRequire(import.meta.url);
/** Packages must use the service's own copy of these, because Nest identifies providers and exceptions by their classes. */
const SHARED = new Map([
  [`${OWN_NAME}/module`, fileURLToPath(new URL('./vocabulary.js', import.meta.url))],
  ['@nestjs/common', require.resolve('@nestjs/common')],
]);

/** A Nest module, as another one imports it. */
export type ImportedModule = Type | DynamicModule;

/**
 * Loads Nest modules from npm packages.
 * @param names packages that can be resolved from the registry's folder
 * @throws StartError naming the first package that cannot be used, and why
 */
export async function loadPackagedModules(names: readonly string[]): Promise<ImportedModule[]> {
  const modules: ImportedModule[] = [];
  for (const name of names) modules.push(await loadModule(name));
  return modules;
}

async function loadModule(name: string): Promise<ImportedModule> {
  const refuse = (fault: string): StartError =>
    new StartError(`The package ${name} of MODULES cannot be used: ${fault}`);
  const exported = await importPackage(name, SHARED, refuse);
  const module = [exported['default'], exported['module']].find(isModule);
  if (module === undefined) throw refuse('it exports no module of Nest, neither as default nor as module');
  return module;
}

function isModule(value: unknown): value is ImportedModule {
  if (typeof value === 'object' && value !== null) return isModule((value as Partial<DynamicModule>).module);
  return (
    typeof value === 'function' && Object.values(MODULE_METADATA).some((key) => Reflect.hasOwnMetadata(key, value))
  );
}
