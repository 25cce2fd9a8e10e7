import type { ArgumentsHost, Provider } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { anAnswerTo, aRequest } from '../../test/support/requests.js';
import { keyRefused } from '../platform/errors/errors.js';
import { ApiErrorFilter } from './api-error.filter.js';
import { ERROR_RENDERING } from './error-rendering.js';

/** @returns what was sent. @param others providers in addition to the filter */
async function answered(others: Provider[]): Promise<{ status: number; body: string }> {
  const module = await Test.createTestingModule({ providers: [ApiErrorFilter, ...others] }).compile();
  const request = aRequest();
  const response = anAnswerTo(request);
  let body = '';
  response.end = (sent: unknown) => ((body = String(sent)), response);
  const http = { getRequest: () => request, getResponse: () => response };
  // oxlint-disable-next-line promise/valid-params -- it is not a promise
  module.get(ApiErrorFilter).catch(keyRefused(), { switchToHttp: () => http } as unknown as ArgumentsHost);
  return { status: response.statusCode, body };
}

describe('a thrown error', () => {
  it('is answered with the error body if no other rendering is installed', async () => {
    const { status, body } = await answered([]);
    expect([status, JSON.parse(body)]).toEqual([401, expect.objectContaining({ status: 'error' })]);
  });

  it.each([true, false])('is answered once, by the rendering if it renders: %s', async (renders) => {
    const { body } = await answered([{ provide: ERROR_RENDERING, useValue: { render: () => renders } }]);
    expect(body === '').toBe(renders);
  });

  it('is answered with the error body if the rendering fails', async () => {
    const render = (): never => {
      throw new Error('No file can be opened');
    };
    const { status, body } = await answered([{ provide: ERROR_RENDERING, useValue: { render } }]);
    expect([status, JSON.parse(body)]).toEqual([401, expect.objectContaining({ status: 'error' })]);
  });
});
