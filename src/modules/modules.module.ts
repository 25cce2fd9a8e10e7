import { type DynamicModule, Module } from '@nestjs/common';
import type { ImportedModule } from './packaged-modules.js';

/** Imports the modules of teams: those in folders beside this file, which `nest generate module modules/NAME` adds here, and those of packages. */
@Module({
  imports: [],
})
export class ModulesModule {
  static with(packaged: readonly ImportedModule[]): DynamicModule {
    return { module: ModulesModule, imports: [...packaged] };
  }
}
