import type { Role } from '../database/entities/account.entity.js';

/** Account and key of the demo have one name; anyone knows them. */
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
