import type { Role } from '../database/entities/account.entity.js';

/** The demo accounts. Each key equals its account's name, so the keys are public. */
export const DEMO_ACCOUNTS: readonly { name: string; role: Role }[] = [
  { name: 'broker', role: 'broker' },
  { name: 'broker2', role: 'broker' },
  { name: 'concierge', role: 'concierge' },
  { name: 'administrator', role: 'administrator' },
];

const NAMES: ReadonlySet<string> = new Set(DEMO_ACCOUNTS.map(({ name }) => name));

export function isDemoKey(key: string): boolean {
  return NAMES.has(key);
}
