/** The faulty part of a request: `header` is the whole request head (method, path, query, header fields). */
export type FaultLocation = 'header' | 'body';

/** One entry of the error body. Source: contract section 8. */
export interface Fault {
  location: FaultLocation;
  name: string;
  description: string;
}

export const MAX_FAULTS = 20;
export const MAX_NAME = 128;

/**
 * An answer of 400 or above; thrown anywhere, and sent by ApiErrorFilter. The registry creates it only with the functions of errors.ts; a
 * team's module may create its own.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly faults: Fault[],
    readonly headers: Record<string, string> = {},
  ) {
    super(`${status} ${faults[0]?.location} ${faults[0]?.name}: ${faults[0]?.description}`);
  }

  /** The JSON text of the error body: at least one and at most 20 entries. */
  body(): string {
    const errors = this.faults.slice(0, MAX_FAULTS).map((fault) => ({ ...fault, name: shortName(fault.name) }));
    return JSON.stringify({ status: 'error', errors });
  }
}

const CANNOT_ANSWER = 'The registry cannot answer for now; try again soon';

/** The reasons of a 503, with the default description for the client. */
export const UNAVAILABLE = {
  changed_meanwhile: CANNOT_ANSWER,
  client_gone: CANNOT_ANSWER,
  clock_in_doubt: 'The registry takes no changes while its clock is in doubt; reads go on',
  database_away: CANNOT_ANSWER,
  deadline: CANNOT_ANSWER,
  disk_short: CANNOT_ANSWER,
  draining: CANNOT_ANSWER,
  log_behind: CANNOT_ANSWER,
  overload: 'Too many requests are waiting',
  place_lost: CANNOT_ANSWER,
  places_taken: CANNOT_ANSWER,
  search_away: CANNOT_ANSWER,
  snapshot_failed: CANNOT_ANSWER,
  snapshot_in_progress: CANNOT_ANSWER,
};

export type UnavailableReason = keyof typeof UNAVAILABLE;

/** 503, with the reason that is logged and counted. */
export class UnavailableError extends ApiError {
  constructor(
    readonly reason: UnavailableReason,
    faults: Fault[],
    headers: Record<string, string>,
  ) {
    super(503, faults, headers);
  }
}

/** A parameter that may occur once was repeated. */
export class RepeatedParameter extends ApiError {}

/** An error whose faults name fields of an asset by their paths; in any other error the name `data` means the asset as a whole. */
export class FieldsRefused extends ApiError {}

/** Limits a name, which may be a key that a client sent, and removes halves of surrogate pairs. */
function shortName(name: string): string {
  return name.slice(0, MAX_NAME).toWellFormed() || '""';
}
