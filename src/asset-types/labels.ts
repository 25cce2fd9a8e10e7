/** What people read in the place of a name, in the two languages of the registry. */
export interface Labels {
  /** Ukrainian. */
  uk: string;
  /** English. */
  en: string;
}

/** Whether somebody who was not helped by a compiler has given both. */
export function isLabels(labels: Partial<Labels> | undefined): labels is Labels {
  return [labels?.uk, labels?.en].every((label) => typeof label === 'string' && label.trim() !== '');
}
