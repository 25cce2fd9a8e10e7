import { Module } from '@nestjs/common';
import { RegistryModule } from 'asset-registry/module';
import { VALUERS } from './valuer.guard.js';
import { ValuationsController } from './valuations.controller.js';
import { ValuationsService } from './valuations.service.js';

@Module({
  imports: [RegistryModule],
  controllers: [ValuationsController],
  providers: [ValuationsService, { provide: VALUERS, useValue: ['valuer'] }],
})
export class ValuationsModule {}

export default ValuationsModule;
