import { afterEach, expect, it, jest } from '@jest/globals';
import { FieldChoices } from './field-choices.js';

const refused = expect.objectContaining({ status: 503 }) as unknown as Error;
const follower = { evict: (): void => undefined };

afterEach(() => void jest.restoreAllMocks());

it('limits the choices of an address, except plain entries and whole assets', () => {
  const choices = new FieldChoices();
  for (let i = 0; i < 8; i++) choices.enter('a', [`f${i}`], follower);
  expect(() => choices.enter('a', ['one more'], follower)).toThrow(refused);
  choices.enter('a', ['f0'], follower);
  for (const fields of [[], '*'] as const) choices.enter('a', fields, follower);
  choices.enter('b', ['one more'], follower);
});

it('limits all choices; a new address evicts the followers of the choice that was not joined for longest', () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const choices = new FieldChoices();
  const evicted: string[] = [];
  const enter = (address: string, fields: string[]) =>
    choices.enter(address, fields, { evict: () => void evicted.push(`${address} ${fields.join()}`) });
  const first = enter('address 0', ['f0']);
  for (let i = 1; i < 64; i++) enter(`address ${i}`, [`f${i}`]);
  now.mockReturnValue(1_000);
  enter('another', ['f0']);
  expect(() => enter('new', ['g0'])).toThrow(refused);
  now.mockReturnValue(10_000);
  enter('new', ['g0']);
  expect(evicted).toEqual(['address 1 f1']);
  expect(() => enter('new', ['g1'])).toThrow(refused);
  first.leave();
  enter('new', ['f0']).leave();
});

it('releases a choice with its last follower', () => {
  const choices = new FieldChoices();
  const entered = Array.from({ length: 8 }, (_, i) => choices.enter('a', [`f${i}`], follower));
  const other = choices.enter('b', ['f0'], { evict: () => undefined });
  entered[0]?.leave();
  expect(() => choices.enter('a', ['one more'], follower)).toThrow(refused);
  other.leave();
  choices.enter('a', ['one more'], follower);
});
