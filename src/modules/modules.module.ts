import { type DynamicModule, Module } from '@nestjs/common';
import type { ImportedModule } from './packaged-modules.js';

/** Imports teams' modules: those in this folder, which `nest generate module modules/NAME` adds here, and those from packages. */
@Module({
  imports: [],
})
export class ModulesModule {
  static with(packaged: readonly ImportedModule[]): DynamicModule {
    return { module: ModulesModule, imports: [...packaged] };
  }
}
