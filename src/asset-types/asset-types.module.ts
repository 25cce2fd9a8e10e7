import { Global, Module } from '@nestjs/common';
import { AssetTypes } from './asset-types.js';
import * as installed from './installed.js';

@Global()
@Module({
  providers: [{ provide: AssetTypes, useFactory: () => new AssetTypes(Object.values(installed)) }],
  exports: [AssetTypes],
})
export class AssetTypesModule {}
