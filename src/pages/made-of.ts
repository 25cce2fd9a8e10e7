import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import type { Language } from './language.js';

const MAX_KINDS = 3;

/** What an asset of several items is made of, in a line: how many there are, and of which kinds, the most frequent first. */
export function madeOf({ items }: AssetViewModel, language: Language): string | undefined {
  if (items === undefined) return undefined;
  const kinds = new Map<string, number>();
  for (const item of items.values) {
    const kind = (item['classification'] as JsonObject | undefined)?.['description'];
    if (typeof kind === 'string') kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const byCount = [...kinds].toSorted(([, a], [, b]) => b - a);
  const shown = byCount.slice(0, MAX_KINDS).map(([kind, count]) => (count > 1 ? `${kind} × ${count}` : kind));
  if (byCount.length > MAX_KINDS) shown.push('…');
  const head = `${items.field.labels[language]}: ${items.values.length}`;
  return shown.length === 0 ? head : `${head} (${shown.join(', ')})`;
}
