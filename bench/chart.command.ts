import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Growth } from './growth/results.js';
import { growthChart } from './report/growth-chart.js';
import { ratioChart } from './report/ratio-chart.js';
import type { Results } from './report/row.js';

const FOLDER = 'docs/performance';

export function addChart(program: Command): void {
  program
    .command('chart')
    .description(`draws ${FOLDER}/ratios.svg or growth.svg from what --output has written`)
    .argument('<file>', 'of results')
    .action((file: string) => {
      const found = JSON.parse(readFileSync(file, 'utf8')) as Results | Growth;
      const chart = join(FOLDER, `${found.kind}.svg`);
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(chart, found.kind === 'ratios' ? ratioChart(found) : growthChart(found));
      console.log(chart);
    });
}
