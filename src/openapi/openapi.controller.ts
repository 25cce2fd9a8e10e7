import { Controller, Get, Headers, Inject, Optional } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { contentDigest } from '../http/encoding.js';
import { LogIdentity } from '../log/log-identity.js';
import { isNoneMatch } from '../http/request-head.js';
import { openApiDocument } from './document.js';

/** The API's description of itself, with the asset types that this service has. */
@Controller(apiPaths('openapi.json'))
export class OpenApiController {
  private readonly text: string;
  private readonly headers: Record<string, string>;

  constructor(types: AssetTypes, @Inject(CONFIG) { publicUrl = '' }: Config, @Optional() log?: LogIdentity) {
    this.text = JSON.stringify(openApiDocument(types.installed, publicUrl, log !== undefined));
    this.headers = { ETag: `"${contentDigest(this.text)}"` };
  }

  @Get()
  describe(@Headers('if-none-match') ifNoneMatch?: string): Answer {
    const unchanged = isNoneMatch(ifNoneMatch, this.headers['ETag'] as string);
    return unchanged ? new Answer(304, undefined, this.headers) : new Answer(200, this.text, this.headers);
  }
}
