import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accessibilityViolations } from '../../support/axe.js';
import { TestBrowser, type Visit } from '../../support/browser.js';

const POLICY = { 'Content-Security-Policy': "default-src 'none'; img-src http:; script-src 'self'" };

/** Tests of the test support: faults of a page are detected. */
describe('a visit', () => {
  let server: Server;
  let browser: TestBrowser;
  let home: string;
  let visit: Visit;
  let body: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const isPage = request.url?.startsWith('/page') ?? false;
      response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8', ...POLICY });
      response.end(isPage ? body : 'nothing');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser?.stop();
    server?.closeAllConnections();
    server?.close();
  });
  beforeEach(async () => {
    visit = await browser.visit(home);
  });
  afterEach(() => visit.end());

  const faultsOf = async (html: string): Promise<string> => {
    body = `<!doctype html><html lang="en"><title>x</title>${html}`;
    await visit.goTo('/page');
    return visit.faults.join('\n');
  };

  it('reports no fault of a sound page', async () => {
    expect(await faultsOf('<main><h1>Nothing</h1></main>')).toBe('');
    expect(await accessibilityViolations(visit.page)).toEqual([]);
    expect(visit.asked).toEqual(['/page']);
  });

  it.each([
    ['a breach of the policy', '<style>p { color: red }</style>', 'Content Security Policy'],
    ['something that is missing', '<script src="/nothing.js"></script>', '404'],
    [
      'a request to another origin',
      '<img alt="" src="http://127.0.0.2:9/x.png">',
      'asked another origin: http://127.0.0.2:9/x.png',
    ],
  ])('sees %s', async (_, html, fault) => {
    expect(await faultsOf(html)).toContain(fault);
  });

  it('reports a page that is not found, unless that was expected', async () => {
    expect(await visit.goTo('/nothing')).toBe(404);
    expect(visit.faults).toEqual([]);
  });

  it('sees barriers', async () => {
    await faultsOf('<main><h1>One</h1><h3>Three</h3><input name="q"></main>');
    expect((await accessibilityViolations(visit.page)).map((line) => line.split(':')[0])).toEqual([
      'heading-order',
      'label',
    ]);
  });
});
