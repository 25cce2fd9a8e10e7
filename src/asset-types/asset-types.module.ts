import { Global, Module } from '@nestjs/common';
import { AssetTypes } from './asset-types.js';
import { INSTALLED } from './installed.js';

@Global()
@Module({
  providers: [{ provide: AssetTypes, useFactory: () => new AssetTypes(INSTALLED) }],
  exports: [AssetTypes],
})
export class AssetTypesModule {}
