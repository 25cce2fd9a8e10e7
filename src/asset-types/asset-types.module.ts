import { type DynamicModule, Module } from '@nestjs/common';
import { AssetTypes } from './asset-types.js';
import { loadAssetTypes } from './packaged-types.js';

@Module({})
export class AssetTypesModule {
  /** @param packages names of npm packages whose asset types are installed in addition to the built-in ones */
  static with(packages: readonly string[]): DynamicModule {
    return {
      module: AssetTypesModule,
      global: true,
      providers: [{ provide: AssetTypes, useFactory: () => loadAssetTypes(packages) }],
      exports: [AssetTypes],
    };
  }
}
