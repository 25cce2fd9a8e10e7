import { ApiError, RepeatedParameter } from '../platform/errors/api-error.js';
import type { Condition, PageQuery } from './page-query.js';
import type { Offered } from './search-form.js';
import type { Texts } from './texts.js';

/** A search in which values of the form cannot be read. */
interface RefusedSearch {
  /** The form as it was filled in. */
  conditions: readonly Condition[];
  /** What is asked for without them. */
  query: PageQuery;
  offered: Offered;
}

/** A condition that breaks another rule than that of its name. */
export class ConditionInvalid extends ApiError {
  constructor(
    { status, faults }: ApiError,
    readonly reason: Exclude<keyof Texts['reasons'], 'repeated'>,
  ) {
    super(status, faults);
  }
}

/** People are shown the form again, and programs the error body, with all that cannot be read. */
export class SearchInvalid extends ApiError {
  constructor(
    readonly errors: readonly ApiError[],
    readonly search: RefusedSearch,
  ) {
    super(
      400,
      errors.flatMap(({ faults }) => faults),
    );
  }
}

export function nameOf({ faults }: ApiError): string {
  return faults[0]?.name ?? '';
}

/** What is wrong, in the reader's language. */
export function reasonOf(error: ApiError, texts: Texts): string | undefined {
  if (error instanceof RepeatedParameter) return texts.reasons.repeated;
  if (error instanceof ConditionInvalid) return texts.reasons[error.reason];
  return ruleOf(nameOf(error), texts);
}

/** What each filter has to be. */
export function ruleOf(name: string, { rules }: Texts): string | undefined {
  return Object.hasOwn(rules, name) ? rules[name as keyof Texts['rules']] : undefined;
}

/** A filter as the form calls it. */
export function fieldLabelOf(name: string, texts: Texts): string {
  const labels = new Map([
    ['status', texts.state],
    ['assetType', texts.type],
    ['owner', texts.broker],
    ['offset', texts.pages],
  ]);
  const own = Object.hasOwn(texts, name) ? texts[name as keyof Texts] : name;
  return labels.get(name) ?? (typeof own === 'string' ? own : name);
}
