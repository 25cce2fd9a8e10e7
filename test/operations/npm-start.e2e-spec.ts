import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { ServiceProcess } from '../support/process.js';
import { head, parseReplies } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { until } from '../support/until.js';

const BODY = JSON.stringify(assetBody());
const POST = head(
  `POST ${ASSETS} HTTP/1.1`,
  'Host: registry',
  `Authorization: ${basic('broker')}`,
  'Content-Type: application/json',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Expect: 100-continue',
);
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** The script of this project in a folder where nothing has to be built: a build here would replace the files that other tests run. */
describe('npm start', () => {
  let folder: string;
  let npm: ServiceProcess;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'npm-start-'));
    for (const name of ['dist', 'scripts']) symlinkSync(resolve(name), join(folder, name));
    const manifest = { scripts: { start: scripts['start'], 'build:service': 'true' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const env = {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      DATABASE_URL: `sqlite:${join(folder, 'registry.sqlite')}`,
      LOG_LEVEL: 'info',
    };
    npm = await ServiceProcess.start(env, ['--prefix', folder, 'start'], 'npm');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  // Its output is at an end only when the service, which writes to it, has ended as well.
  it('forwards SIGTERM: the service finishes requests and ends with 0, also if SIGINT follows', async () => {
    const { hostname, port } = new URL(npm.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const bytes: Buffer[] = [];
    socket.on('data', (chunk) => bytes.push(chunk));
    const closed = new Promise((done) => socket.once('close', done));
    socket.write(POST);
    // It has read the head.
    await until(() => Buffer.concat(bytes).includes('100 Continue'));
    npm.signal('SIGTERM');
    await until(() => npm.output().includes('"msg":"draining"'));
    npm.signal('SIGINT');
    socket.write(BODY);
    await closed;
    expect(parseReplies(Buffer.concat(bytes)).map(({ status }) => status)).toEqual([100, 201]);
    expect((await npm.end).code).toBe(0);
  });
});

it.each(['start', 'start:dev'])('npm run %s ends with a program that replaces its shell', (name) =>
  expect(scripts[name]).toMatch(/&& exec [^&|;]*(?:'.*'[^&|;]*)?$/),
);

it('npm run start:dev starts no shell that ends before the service', () => {
  const commands = scripts['start:dev']?.match(/'[^']+'/g) ?? [];
  expect(commands.map((command) => command.slice(1, 11))).toEqual(['exec tsc -', 'exec node ']);
});
