import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startContainer as start } from './container-server.ts';
import { waitUntilServerAnswers } from './server-answer.ts';

const MYSQL2 = pathToFileURL(resolve('node_modules/mysql2/index.js')).href;
const ANSWER_MS = 60_000;

/** Runs what a container would run, on this machine, with a `docker-entrypoint.sh` of its own. */
const DOCKER = `#!/bin/sh
case "$1" in
version) echo 27.5.1 ;;
context) echo "$HOST_OF_DOCKER" ;;
run)
  echo "$*" > "$FOLDER/asked"
  while [ "$1" != mysql:8.4 ]; do
    if [ "$1" = --publish ]; then published=\${2%:3306}; fi
    shift
  done
  shift
  export PUBLISHED="$published" PATH="$FOLDER:$PATH"
  exec sh "$@" ;;
esac
`;

/** Answers as MySQL does, once it knows its password. */
const SERVER = `
import mysql from ${JSON.stringify(MYSQL2)};

const [address, port] = process.env.PUBLISHED.includes(':') ? process.env.PUBLISHED.split(':') : ['localhost', process.env.PUBLISHED];
const COLUMN = { catalog: 'def', schema: '', table: '', orgTable: '', name: 'version', orgName: '', characterSet: 33, columnLength: 20, columnType: 253, flags: 0, decimals: 0 };
const capabilities = 0xffffff & ~0x800;
const server = mysql.createServer();
let id = 0;
server.on('connection', (connection) => {
  const authCallback = (_, answer) => answer(null);
  connection.on('error', () => undefined);
  connection.serverHandshake({ protocolVersion: 10, serverVersion: '8.4.9', connectionId: ++id, statusFlags: 2, characterSet: 45, capabilityFlags: capabilities, authCallback });
  connection.on('query', () => {
    connection.sequenceId = 1;
    connection.writeTextResult([{ version: '8.4.9' }], [COLUMN]);
  });
});
server._server.listen(Number(port), address);
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docker-'));
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function fakeDocker(docker = DOCKER): string {
  write('server.mjs', SERVER);
  write('docker-entrypoint.sh', `#!/bin/sh\n[ "$1" = mysqld ] && exec "${process.execPath}" "$FOLDER/server.mjs"\n`);
  return write(
    'docker',
    docker.replace('\n', `\nexport FOLDER=${folder} HOST_OF_DOCKER=unix:///var/run/docker.sock\n`),
  );
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** As on a machine that is no container itself. */
function startContainer(docker: string): ReturnType<typeof start> {
  return start(docker, false);
}

/** What was said to the console while it was looked for. */
function listen(): { said: () => string } {
  const spy = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  return { said: () => spy.mock.calls.map(([text]) => String(text)).join('') };
}

describe('a MySQL in a container', () => {
  it('answers on a port of this machine alone, with a password that no other process is shown', async () => {
    const server = await startContainer(fakeDocker());
    const { host, password, username } = new URL(server?.url ?? '');
    try {
      await expect(waitUntilServerAnswers(server?.url ?? '', ANSWER_MS)).resolves.toEqual({
        name: 'MySQL',
        version: '8.4.9',
      });
      expect(server?.origin).toBe(`container of mysql:8.4, ${host}`);
      const asked = readFileSync(join(folder, 'asked'), 'utf8');
      expect(asked).toContain(
        `run --rm --interactive --publish ${host}:3306 --env MYSQL_ROOT_PASSWORD --entrypoint sh `,
      );
      expect(asked).toContain(' --sync-binlog=1');
      expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
      expect(username).toBe('root');
      expect(password).toMatch(/^[0-9a-f]{24}$/);
      expect(asked).not.toContain(password);
    } finally {
      await server?.stop();
    }
  });
});

describe('a local server is taken', () => {
  it('without a word where there is no Docker, or none that answers', async () => {
    const { said } = listen();
    await expect(startContainer(join(folder, 'docker'))).resolves.toBeUndefined();
    await expect(startContainer(fakeDocker('#!/bin/sh\nexit 1\n'))).resolves.toBeUndefined();
    expect(said()).toBe('');
  });

  it('where Docker cannot run the image, and its reason is told', async () => {
    const { said } = listen();
    const refusing = DOCKER.replace('exec sh "$@"', 'echo "docker: no space left on device" >&2; exit 125');
    await expect(startContainer(fakeDocker(refusing))).resolves.toBeUndefined();
    expect(said()).toMatch(/^Docker answers but starts no mysql:8\.4, so a local server is taken: /);
    expect(said()).toContain('docker: no space left on device');
  });
});
