import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runJest, whatFailed } from './jest-run.js';

const PASSED = Array.from({ length: 1_000 }, (_, i) => `PASS src/${i}.spec.ts`);
const FAILED = ['FAIL src/a.spec.ts', '  ● a thing › is so', '', '    expect(received).toBe(expected)', ''];
const COUNTED = ['Test Suites: 1 failed, 1000 passed, 1001 total', 'Tests:       1 failed, 5206 passed, 5207 total'];

describe('what failed of a run', () => {
  it('is told with its reason and the counts, whatever passed', () => {
    const output = [...PASSED, ...FAILED, ...PASSED, ...COUNTED].join('\n');
    const told = whatFailed(output).split('\n');
    expect(told).toEqual(expect.arrayContaining([...FAILED, ...COUNTED]));
    expect(told.length).toBeLessThan(30);
  });

  it('is what it ends with', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jest-run-'));
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'a.test.js'), "test('is so', () => expect(1).toBe(2));");
    await expect(runJest(process.execPath, ['--config', JSON.stringify({ rootDir: folder })])).rejects.toThrow(
      /^jest ended with 1:\nFAIL [^]*● is so\n[^]*Tests: +1 failed, 1 total/,
    );
    rmSync(folder, { recursive: true });
  });
});
