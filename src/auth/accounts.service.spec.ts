import { expect, it, jest } from '@jest/globals';
import type { AccountsRepository } from '../database/repositories/accounts-repository.js';
import type { AuditReader } from '../database/readers/audit-reader.js';
import { AccountsService } from './accounts.service.js';

const changeAccount = jest.fn<AccountsRepository['changeAccount']>().mockResolvedValue(true);
const accounts = new AccountsService({ changeAccount } as unknown as AccountsRepository, {} as AuditReader);

it.each(['Прокуратура №1, м. Київ', 'Ж'.repeat(200), 'क्षेत्र', '🏛 Reģistrs'])(
  'a display name may be %s',
  async (name) => {
    await accounts.setDisplayName('acme', name);
    expect(changeAccount).toHaveBeenLastCalledWith('acme', { displayName: name }, expect.anything());
  },
);

const codeOf = (name: string): string =>
  Array.from(name, (one) => `U+${one.codePointAt(0)?.toString(16).padStart(4, '0')}`).join(' ');
const WRONG = ['', '\u00a0\u3000', 'a ', '🏛'.repeat(201)];
const CONTROLS = ['a\nb', 'a\u2028b', '\ud83c'];
const DIRECTIONS = ['a\u202eb', 'a\u200eb'];
const INVISIBLE = ['a\u200bb', 'a\u00adb', '\u3164', '\u2800', 'a\ufe0f'];
const unreadable = [...WRONG, ...CONTROLS, ...DIRECTIONS, ...INVISIBLE];

it.each(unreadable.map((name) => [codeOf(name).slice(0, 40), name]))(
  'a display name may not be %s',
  async (_, name) => {
    changeAccount.mockClear();
    const message =
      'A display name is 1 to 200 characters in a line, none of them invisible, with no space at its ends';
    await expect(accounts.setDisplayName('acme', name)).rejects.toThrow(message);
    expect(changeAccount).not.toHaveBeenCalled();
  },
);
