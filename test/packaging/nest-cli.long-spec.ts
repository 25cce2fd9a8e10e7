import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceProcess } from '../support/process.js';
import { ProjectCopy } from '../support/project-copy.js';

/* Nest's own commands, in a project that was built once. docs/modules.md does what they generate. */

let copy: ProjectCopy;

beforeAll(async () => {
  copy = new ProjectCopy();
  // A full build, because an older compiler may have ordered the members of a type differently.
  await copy.succeed('rm -rf .build dist && npm run --silent build:service && cp -R dist ../built');
});
afterAll(() => copy?.remove());

it('nest build writes the files of npm run build, to the byte', async () => {
  // The demo is a separate package, and Swagger UI a dependency: nest build does not write them.
  await copy.succeed(
    'find dist -path dist/demo -prune -o -path dist/http/swagger-ui/library -prune -o -type f -exec rm {} +',
  );
  await copy.succeed('node_modules/.bin/nest build');
  expect(await copy.succeed('diff -r dist ../built && echo the same')).toBe('the same\n');
});

it('the output of nest build can be run', async () => {
  const env = { DATABASE_URL: `sqlite:${copy.parent}/nest.sqlite`, SEARCH_INDEX: 'off' };
  const service = await ServiceProcess.start(env, [`${copy.folder}/dist/main.js`]);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  await service.kill('SIGTERM');
});
