import { expect, it } from '@jest/globals';
import { FewAtOnce } from './digest.controller.js';

it('lets a few begin, refuses the next with 503, and lets another begin for each that is over', () => {
  const few = new FewAtOnce(2);
  const refused = expect.objectContaining({ status: 503 }) as unknown as Error;
  const [over] = [few.begin(), few.begin()] as const;
  expect(() => few.begin()).toThrow(refused);
  over();
  over();
  few.begin();
  expect(() => few.begin()).toThrow(refused);
});
