/** The text shown for a name, in the two languages of the registry. */
export interface Labels {
  uk: string;
  en: string;
}

/** Checks labels of a type that no compiler has checked. */
export function isLabels(labels: Partial<Labels> | undefined): labels is Labels {
  return [labels?.uk, labels?.en].every((label) => typeof label === 'string' && label.trim() !== '');
}
