import { type DynamicModule, Module } from '@nestjs/common';
import { AssetTypes } from './asset-types.js';
import * as builtIn from './installed.js';
import { loadPackagedTypes } from './packaged-types.js';

@Module({})
export class AssetTypesModule {
  /** @param packages names of npm packages that export a type each, installed beside the built-in ones */
  static with(packages: readonly string[]): DynamicModule {
    const load = async (): Promise<AssetTypes> =>
      new AssetTypes(Object.values(builtIn), await loadPackagedTypes(packages));
    return {
      module: AssetTypesModule,
      global: true,
      providers: [{ provide: AssetTypes, useFactory: load }],
      exports: [AssetTypes],
    };
  }
}
