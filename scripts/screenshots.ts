/*
 * npm run screenshots: takes the README's pictures of the examples in a temporary registry, in Chromium.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestBrowser } from '../test/support/browser.js';
import { findBrowser } from '../test/support/find-browser.js';
import { builtService, ServiceProcess } from '../test/support/process.js';
import { pathOfNewest, type Shot, takeShots } from '../test/support/screenshots.js';
import { until } from '../test/support/until.js';
import { removeFolder } from './machine/remove-folder.js';

const FOLDER = 'docs/screenshots';

const browser = await TestBrowser.start(await findBrowser());
const data = mkdtempSync(join(tmpdir(), 'registry-screenshots-'));
const env = {
  DATABASE_URL: `sqlite:${join(data, 'registry.sqlite')}`,
  SEARCH_INDEX: join(data, 'registry.search.sqlite'),
};
const service = await ServiceProcess.start(env, [builtService(), '--demo']);
try {
  // The service prints `Try:` once the examples are imported.
  await until(() => service.output().includes('Try:'));
  const shots: Shot[] = [
    { name: 'home', path: '/?lang=en' },
    { name: 'asset', path: `${await pathOfNewest(service.url, 'complete')}?lang=en` },
  ];
  const faults = await takeShots(browser, service.url, shots, FOLDER);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  process.stdout.write(shots.map(({ name }) => `${FOLDER}/${name}.png\n`).join(''));
} finally {
  await browser.stop();
  await service.kill('SIGTERM');
  removeFolder(data);
}
