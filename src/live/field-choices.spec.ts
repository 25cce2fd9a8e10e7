import { expect, it } from '@jest/globals';
import { FieldChoices } from './field-choices.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;

it('lets an address have a few, and everybody entries alone and whole assets', () => {
  const choices = new FieldChoices();
  for (let i = 0; i < 8; i++) choices.enter('a', [`f${i}`]);
  expect(() => choices.enter('a', ['one more'])).toThrow(refused);
  choices.enter('a', ['f0']);
  for (const fields of [[], '*'] as const) choices.enter('a', fields);
  choices.enter('b', ['one more']);
});

it('lets all together have so many, and those who make one that is there', () => {
  const choices = new FieldChoices();
  for (let i = 0; i < 64; i++) choices.enter(`address ${i}`, [`f${i}`]);
  expect(() => choices.enter('another', ['one more'])).toThrow(refused);
  choices.enter('another', ['f0']);
});
