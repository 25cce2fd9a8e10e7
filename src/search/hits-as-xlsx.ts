import { Injectable } from '@nestjs/common';
import type { StreamedAnswer } from '../http/answer.js';
import type { Caller } from '../http/caller.js';
import { type Language, preferredLanguage } from '../http/language.js';
import { Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { AssetSheets } from '../listing/xlsx/asset-sheets.js';
import { printWorkbook, type Sheet } from '../listing/xlsx/workbook.js';
import { HitsAsFile, packHit, type PrintHits } from './hits-as-file.js';
import type { XlsxQuery } from './xlsx-query.pipe.js';

const NAMES = {
  uk: { assets: 'Обʼєкти', items: 'Складові' },
  en: { assets: 'Assets', items: 'Items' },
} as const;

/** Sends all hits of a search as a spreadsheet with a sheet of assets and a sheet of their items. Source: contract section 11. */
@Injectable()
export class HitsAsXlsx {
  constructor(
    private readonly files: HitsAsFile,
    private readonly sheets: AssetSheets,
    private readonly origins: Origins,
  ) {}

  /** @throws ApiError 503 */
  answer(query: XlsxQuery, caller: Caller, request: RegistryRequest): Promise<StreamedAnswer> {
    const language = query.language ?? preferredLanguage(request.headers['accept-language']);
    const { base } = this.origins.of(request);
    const headings = JSON.stringify(this.sheets.headings(language));
    const format = {
      headers: {
        'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'Content-Disposition': 'attachment; filename="assets.xlsx"',
        Vary: 'Accept-Language',
      },
      variant: `xlsx ${language} ${base} ${headings}`,
      bytesPerRow: 1_250,
      chunks: (hits: string, print: PrintHits) => printWorkbook(this.sheetsOf(hits, print, language, base)),
    };
    return this.files.answer(query, format, caller, request);
  }

  /** The first sheet notes which assets may have items; the second reads those again. */
  private sheetsOf(hits: string, print: PrintHits, language: Language, base: string): Sheet[] {
    const context = { language, linkOf: (assetId: string) => `${base}/assets/${assetId}` };
    const headings = this.sheets.headings(language);
    const names = NAMES[language];
    let withItems = '';
    const assets = () =>
      print(hits, (found) => {
        withItems += found
          .filter(({ asset }) => this.sheets.mayHaveItems(asset))
          .map(({ hit }) => packHit(hit))
          .join('');
        return found.map(({ asset }) => this.sheets.assetRow(asset, context));
      });
    const items = () => print(withItems, (found) => found.flatMap(({ asset }) => this.sheets.itemRows(asset, context)));
    return [
      { name: names.assets, headings: headings.assets, rows: assets },
      { name: names.items, headings: headings.items, rows: items },
    ];
  }
}
