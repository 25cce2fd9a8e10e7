import { Inject, Injectable, type INestApplication, Optional } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { contentDigest } from '../http/encoding.js';
import { LogIdentity } from '../log/log-identity.js';

export interface DocumentText {
  text: string;
  etag: string;
}

/** The OpenAPI document of this service, with its asset types and its teams' endpoints. */
@Injectable()
export class OpenApiService {
  private app: INestApplication | undefined;
  private made: Promise<DocumentText> | undefined;

  constructor(
    private readonly types: AssetTypes,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() private readonly log?: LogIdentity,
  ) {}

  /** Sets the application whose controllers are described. */
  useControllersOf(app: INestApplication): void {
    this.app = app;
  }

  /** Creates the document at the first request. */
  document(): Promise<DocumentText> {
    return (this.made ??= this.make());
  }

  private async make(): Promise<DocumentText> {
    const [{ openApiDocument }, { findEndpoints }] = await Promise.all([
      import('./document.js'),
      import('./team-endpoints.js'),
    ]);
    const { publicUrl: base = '' } = this.config;
    const endpoints = this.app && (await findEndpoints(this.app));
    const parts = { base, hasLog: this.log !== undefined, endpoints };
    const text = JSON.stringify(openApiDocument(this.types.installed, parts));
    return { text, etag: `"${contentDigest(text)}"` };
  }
}
