import { Controller, Get, Param, Req } from '@nestjs/common';
import { parseTilePath } from '#tlog';
import { ID } from '../feed/asset-identifiers.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import { actionNotFound, assetNotFound } from '../platform/errors/errors.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { Answer, PageAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type Origin, Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-target.js';
import { MAX_CONCURRENT_WHOLE_PAGES } from '../listing/feed-pages.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { entryText, openingText, utc } from './entry.js';
import { placeFrom } from './log-query.js';
import { LogService, type ShownEntry } from './log.service.js';
import { StatePrinter } from './state-printer.js';

const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';
const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/**
 * The log of public states: of the epoch in the path, which is 404 once the epoch has changed; without one, of the current epoch.
 * Source: contract section 16.
 */
@Controller([...apiPaths('log'), ...apiPaths('log/:epoch')])
export class LogController {
  /** A page is some megabytes of states. */
  private readonly pageReads = new Semaphore(MAX_CONCURRENT_WHOLE_PAGES);

  constructor(
    private readonly log: LogService,
    private readonly printer: StatePrinter,
    private readonly origins: Origins,
  ) {}

  /** The newest signed note. @throws ApiError 503 before the first */
  @Get('checkpoint')
  async checkpoint(@Param('epoch') epoch?: string): Promise<PageAnswer> {
    const { note } = await this.log.checkpoint(epoch);
    return new PageAnswer(200, Buffer.from(note), TEXT);
  }

  /** A tile of hashes, or a bundle of entries. @throws ApiError 404 if it is not in a signed tree */
  @Get('tile/*tilePath')
  async tile(@Param('tilePath') segments: string[], @Param('epoch') epoch?: string): Promise<PageAnswer> {
    const wanted = parseTilePath(segments.join('/'));
    if (wanted === undefined) throw actionNotFound();
    // Without an epoch in the path, a restore changes the bytes at the same address.
    return new PageAnswer(200, await this.log.tile(wanted, epoch), BYTES, epoch === undefined ? {} : IMMUTABLE);
  }

  /** Signed entries from a place on, each with its opening and state. */
  @Get('assets')
  assets(@Req() request: RegistryRequest, @CalledBy() caller: Caller, @Param('epoch') epoch?: string): Promise<Answer> {
    return caller.beforeDeadline(this.pageReads.run(() => this.page(request, caller, epoch), caller));
  }

  private async page(request: RegistryRequest, caller: Caller, epoch?: string): Promise<Answer> {
    const { query } = targetOf(request);
    const from = placeFrom(query);
    const limit = QUERY_PARAMETERS.limit.read(query);
    const { size, shown, unlogged } = await this.log.page(from, limit, caller, epoch);
    const entries = shown.map((one) => this.print(one));
    const next = linkTo(this.origins.of(request), from + shown.length, limit);
    const changes = unlogged.map(({ place, us }) => ({ place, dateModified: utc(us) }));
    const unloggedMember = changes.length === 0 ? '' : `,"unlogged":${JSON.stringify(changes)}`;
    const end = `],"size":${size},"next_page":${JSON.stringify(next)}${unloggedMember}}`;
    return new Answer(200, EncodedText.join(entries, ',').enclosed('{"data":[', end));
  }

  private print({ entry, asset }: ShownEntry): EncodedText {
    const { place } = entry;
    const start = `{"place":${place},"entry":${JSON.stringify(entryText(entry))},"opening":${openingText(entry)},"asset":`;
    const state = (asset && this.printer.text(asset)) ?? 'null';
    return EncodedText.join([EncodedText.from(Buffer.from(start)), state, '}'], '');
  }
}

/** Proofs of single states. */
@Controller(apiPaths('assets'))
export class ProofController {
  constructor(
    private readonly log: LogService,
    private readonly assets: ShownAssets,
    private readonly history: AssetHistory,
    private readonly time: RegistryTime,
  ) {}

  /** @throws ApiError 404 if there was no public state, 503 until a checkpoint covers it */
  @Get(':id/proof')
  async prove(
    @Param('id') id: string,
    @Req() request: RegistryRequest,
    @CalledBy() caller: Caller,
  ): Promise<PageAnswer> {
    const at = QUERY_PARAMETERS.at.read(targetOf(request).query, this.time);
    // Only valid ids reach the database.
    if (!ID.test(id)) throw assetNotFoundAt(id);
    return new PageAnswer(200, Buffer.from(await caller.beforeDeadline(this.proofOf(id, at?.us, caller))), TEXT);
  }

  private async proofOf(id: string, atUs: number | undefined, caller: Caller): Promise<string> {
    const us = atUs ?? (await this.assets.find(id))?.modifiedUs;
    if (us === undefined) throw assetNotFound();
    return this.log.proof(await this.history.at(id, us, caller));
  }
}

/** Link to the next page; at the end, the address to poll. */
function linkTo({ base, path }: Origin, from: number, limit: number): object {
  const isDefault = limit === QUERY_PARAMETERS.limit.schema.default;
  const pathAndQuery = `${path}?from=${from}${isDefault ? '' : `&limit=${limit}`}`;
  return { from, path: pathAndQuery, uri: base + pathAndQuery };
}
