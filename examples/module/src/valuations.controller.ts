import { Body, Controller, Get, Param, Post, Req, UseGuards, ValidationPipe } from '@nestjs/common';
import { accountOf, apiPaths, BrokerKeyGuard, type RegistryRequest } from 'asset-registry/module';
import { IsPositive } from 'class-validator';
import { type ValuedAsset, ValuationsService } from './valuations.service.js';
import { ValuerGuard } from './valuer.guard.js';

export class NewValuation {
  @IsPositive() amount!: number;
}

@Controller(apiPaths('valuations'))
export class ValuationsController {
  constructor(private readonly valuations: ValuationsService) {}

  @Get(':id')
  read(@Param('id') id: string): Promise<ValuedAsset> {
    return this.valuations.list(id);
  }

  @Post(':id')
  @UseGuards(BrokerKeyGuard, ValuerGuard)
  add(
    @Param('id') id: string,
    @Body(new ValidationPipe({ transform: true })) { amount }: NewValuation,
    @Req() request: RegistryRequest,
  ): Promise<ValuedAsset> {
    return this.valuations.add(id, { amount, by: accountOf(request).name });
  }
}
