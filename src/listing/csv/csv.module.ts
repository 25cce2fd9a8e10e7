import { Module } from '@nestjs/common';
import { AssetTable } from './asset-table.js';

@Module({ providers: [AssetTable], exports: [AssetTable] })
export class CsvModule {}
