import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { ratioChart } from './report/ratio-chart.js';
import type { Results } from './report/row.js';

const CHART = 'docs/performance/ratios.svg';

export function addChart(program: Command): void {
  program
    .command('chart')
    .description(`draws ${CHART} from what --output has written`)
    .argument('<file>', 'of results')
    .action((file: string) => {
      mkdirSync(dirname(CHART), { recursive: true });
      writeFileSync(CHART, ratioChart(JSON.parse(readFileSync(file, 'utf8')) as Results));
      console.log(CHART);
    });
}
