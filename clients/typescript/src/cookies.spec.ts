import { expect, it } from '@jest/globals';
import { Cookies } from './cookies.js';

it('keeps the last value of each cookie, without what is told of it', () => {
  const cookies = new Cookies();
  expect(cookies.header).toBeUndefined();
  cookies.take(undefined);
  cookies.take('SERVER_ID=one; Path=/; HttpOnly');
  cookies.take(['SERVER_ID=two; Path=/', 'a=b=c']);
  expect(cookies.header).toBe('SERVER_ID=two; a=b=c');
});
