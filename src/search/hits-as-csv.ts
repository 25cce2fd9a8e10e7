import { Injectable } from '@nestjs/common';
import type { StreamedAnswer } from '../http/answer.js';
import type { Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { AssetTable } from '../listing/csv/asset-table.js';
import { BYTE_ORDER_MARK } from '../listing/csv/csv-lines.js';
import type { CsvQuery } from './csv-query.pipe.js';
import { type FileFormat, HitsAsFile, type PrintHits } from './hits-as-file.js';

/** Sends all hits of a search as CSV. Source: contract section 11. */
@Injectable()
export class HitsAsCsv {
  constructor(
    private readonly files: HitsAsFile,
    private readonly table: AssetTable,
  ) {}

  /** @throws ApiError 503 */
  answer(query: CsvQuery, caller: Caller, request: RegistryRequest): Promise<StreamedAnswer> {
    const head = (query.hasByteOrderMark ? BYTE_ORDER_MARK : '') + this.table.header;
    const format: FileFormat = {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="assets.csv"',
      },
      variant: head,
      bytesPerRow: 500,
      chunks: (hits, print) => this.lines(head, hits, print),
    };
    return this.files.answer(query, format, caller, request);
  }

  private async *lines(head: string, hits: string, print: PrintHits): AsyncGenerator<Buffer> {
    yield Buffer.from(head);
    yield* print(hits, (found) => this.table.print(found.map(({ asset }) => asset)));
  }
}
