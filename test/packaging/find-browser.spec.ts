import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { findBrowser } from '../support/find-browser.ts';

const before = { ...process.env };

describe('the browser of the tests', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = { ...before };
  });

  it('is the given one', async () => {
    process.env.CHROMIUM_PATH = process.execPath;
    expect(await findBrowser()).toBe(process.execPath);
  });

  it('is not looked for where a given one is none', async () => {
    process.env.CHROMIUM_PATH = 'package.json';
    await expect(findBrowser()).rejects.toThrow('package.json is no program');
  });

  it('is said to be missing, and how to get one, where it cannot be installed', async () => {
    delete process.env.CHROMIUM_PATH;
    process.env.PATH = '';
    jest.spyOn(process, 'getuid').mockReturnValue(1_000);
    const missing = findBrowser();
    await expect(missing).rejects.toThrow('set CHROMIUM_PATH=');
    await expect(missing).rejects.toThrow('only as root on a system with apt-get');
  });
});
