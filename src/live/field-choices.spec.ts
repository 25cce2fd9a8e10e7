import { expect, it } from '@jest/globals';
import { FieldChoices } from './field-choices.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;

it('gives the same choice to all who chose the same', () => {
  const choices = new FieldChoices();
  const [one, other] = [choices.enter('a', ['status']), choices.enter('b', ['status'])];
  expect(other.choice).toBe(one.choice);
});

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

it('has room again when the last one of a choice has gone', () => {
  const choices = new FieldChoices();
  const entered = Array.from({ length: 8 }, (_, i) => choices.enter('a', [`f${i}`]));
  const again = choices.enter('a', ['f0']);
  entered[0]?.leave();
  expect(() => choices.enter('a', ['one more'])).toThrow(refused);
  again.leave();
  choices.enter('a', ['one more']);
});
