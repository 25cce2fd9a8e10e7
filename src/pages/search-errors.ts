import { ApiError, RepeatedParameter } from '../platform/errors/api-error.js';
import type { Condition, PageQuery } from './page-query.js';
import type { Offered } from './search-form.js';
import type { Texts } from './texts.js';

/** A search with malformed values. */
interface RefusedSearch {
  /** The conditions as they were typed. */
  conditions: readonly Condition[];
  /** The query without the malformed values. */
  query: PageQuery;
  offered: Offered;
}

/** A condition that breaks a rule other than the format of its filter. */
export class ConditionInvalid extends ApiError {
  constructor(
    { status, faults }: ApiError,
    readonly reason: Exclude<keyof Texts['reasons'], 'repeated'>,
  ) {
    super(status, faults);
  }
}

/** All errors of a search: pages show them in the form, programs get the error body. */
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

/** The error in the reader's language. */
export function reasonOf(error: ApiError, texts: Texts): string | undefined {
  if (error instanceof RepeatedParameter) return texts.reasons.repeated;
  if (error instanceof ConditionInvalid) return texts.reasons[error.reason];
  return ruleOf(nameOf(error), texts);
}

/** The format of a filter. */
export function ruleOf(name: string, { rules }: Texts): string | undefined {
  return Object.hasOwn(rules, name) ? rules[name as keyof Texts['rules']] : undefined;
}

/** The label of a filter in the form. */
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
