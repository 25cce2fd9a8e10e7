import { Controller, Get, Headers } from '@nestjs/common';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { isNoneMatch } from '../http/request-head.js';
import { OpenApiService } from './openapi.service.js';

@Controller(apiPaths('openapi.json'))
export class OpenApiController {
  constructor(private readonly service: OpenApiService) {}

  @Get()
  async describe(@Headers('if-none-match') ifNoneMatch?: string): Promise<Answer> {
    const { text, etag } = await this.service.document();
    const isKnown = isNoneMatch(ifNoneMatch, etag);
    return new Answer(isKnown ? 304 : 200, isKnown ? undefined : text, { ETag: etag });
  }
}
