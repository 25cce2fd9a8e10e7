import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { logger } from './logger.js';
import { NestLogger } from './nest-logger.js';

beforeEach(() => Logger.overrideLogger(new NestLogger()));
afterEach(() => {
  Logger.overrideLogger(false);
  jest.restoreAllMocks();
});

it('writes messages that a module passes to the Logger of Nest, with their level and context', () => {
  const info = jest.spyOn(logger, 'info').mockReturnValue(undefined);
  const error = jest.spyOn(logger, 'error').mockReturnValue(undefined);
  new Logger('Lots').log('a lot was opened');
  new Logger('Lots').error(new Error('no lot'));
  expect(info).toHaveBeenCalledWith({ context: 'Lots' }, 'a lot was opened');
  expect(error).toHaveBeenCalledWith(
    expect.objectContaining({ context: 'Lots', stack: expect.stringContaining('no lot') }),
    'logged by a module',
  );
});

it('omits the messages of Nest itself at start', () => {
  const info = jest.spyOn(logger, 'info').mockReturnValue(undefined);
  new Logger('RouterExplorer').log('Mapped {/lots, GET} route');
  expect(info).not.toHaveBeenCalled();
});
