import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { terminalLine } from './terminal-line.js';

const TIME = new Date(2026, 10, 21, 13, 50, 15).toISOString();
const shown = (members: object): string =>
  stripVTControlCharacters(terminalLine(`${JSON.stringify({ level: 30, time: TIME, ...members })}\n`));

describe('a log line on a terminal', () => {
  it('shows a request in a readable order', () => {
    const request = { requestId: 'r', client: '192.0.2.30', method: 'GET', path: '/docs/', status: 404, ms: 2.6 };
    expect(shown(request)).toBe('13:50:15 info  GET /docs/ 404 2.6 ms requestId=r client=192.0.2.30\n');
    expect(shown({ ...request, status: undefined })).toContain('GET /docs/ no answer 2.6 ms');
  });

  it('shows a message with its members', () => {
    expect(shown({ level: 40, msg: 'a proxy', hosts: ['a', 1] })).toBe('13:50:15 warn  a proxy hosts=["a",1]\n');
    expect(shown({ level: 35, msg: 'x' })).toBe('13:50:15 35    x\n');
  });

  it('shows a stack below it', () => {
    expect(shown({ level: 50, msg: 'defect', stack: 'Error: x\n  at y' })).toBe(
      '13:50:15 error defect\nError: x\n  at y\n',
    );
  });

  it('has no control characters from clients or databases', () => {
    const line = terminalLine(JSON.stringify({ level: 30, time: TIME, msg: 'a\u001B[2Jb\u0007', note: '\r\u009B1m' }));
    expect(line).toContain('a [2Jb ');
    expect(line).toContain('note=  1m');
  });
});
