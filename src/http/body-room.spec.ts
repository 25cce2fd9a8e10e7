import { beforeEach, describe, expect, it } from '@jest/globals';
import { logger } from '../logging/logger.js';
import { BodyRoom, type BodyReservation } from './body-room.js';

describe('room for 100 bytes of bodies', () => {
  let room: BodyRoom;
  let cut: string[];
  const enter = (name: string): BodyReservation => room.enter(name[0] as string, () => cut.push(name));

  beforeEach(() => {
    logger.level = 'silent';
    room = new BodyRoom(100);
    cut = [];
  });

  it('is made by the oldest of the party that has the most', () => {
    enter('b1').grow(30);
    enter('a1').grow(35);
    enter('a2').grow(35);
    enter('c1').grow(1);
    expect(cut).toEqual(['a1']);
  });

  it('is made by as many as it takes', () => {
    for (const name of ['a1', 'a2', 'a3']) enter(name).grow(30);
    enter('b1').grow(50);
    expect(cut).toEqual(['a1', 'a2']);
  });

  it('is had again from who leaves, once', () => {
    const first = enter('a1');
    first.grow(60);
    first.leave();
    first.leave();
    enter('a2').grow(90);
    expect(cut).toEqual([]);
    enter('b1').grow(20);
    expect(cut).toEqual(['a2']);
  });

  it('counts nothing more of who gave way', () => {
    const first = enter('a1');
    first.grow(90);
    enter('a2').grow(50);
    expect(cut).toEqual(['a1']);
    first.grow(1_000);
    first.leave();
    enter('b1').grow(50);
    expect(cut).toEqual(['a1']);
  });
});
