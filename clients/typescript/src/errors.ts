/** One error of a registry's answer: `location` is `header` or `body`, `name` the header, parameter or field (`value.amount`). */
export interface Fault {
  location: string;
  name: string;
  description: string;
}

/** Parts of an error. */
interface Refusal {
  method: string;
  path: string;
  status: number;
  /** Empty if another server answered, such as a load balancer. */
  faults: readonly Fault[];
  requestId?: string | undefined;
}

/** The registry answered with a status of 400 or above. Neither message nor members contain a key or token. */
export class RegistryError extends Error {
  override readonly name: string = 'RegistryError';
  readonly status: number;
  /** All errors in the answer. */
  readonly errors: readonly Fault[];
  /** Identifies the request in the registry's log. */
  readonly requestId: string | undefined;

  constructor({ method, path, status, faults, requestId }: Refusal) {
    const details = faults.map(({ name, description }) => `${name}: ${description}`).join('; ');
    super(`${method} ${path} was answered with ${status}${details === '' ? '' : ` (${details})`}`);
    this.status = status;
    this.errors = faults;
    this.requestId = requestId;
  }
}

/** 401: missing or unknown key. */
export class Unauthorized extends RegistryError {
  override readonly name = 'Unauthorized';
}

/** 403: not allowed with this key or token, or in the asset's state. */
export class Forbidden extends RegistryError {
  override readonly name = 'Forbidden';
}

/** 404: unknown asset. */
export class NotFound extends RegistryError {
  override readonly name = 'NotFound';
}

/** 400 or 422: `errors` names every faulty parameter or field. */
export class Invalid extends RegistryError {
  override readonly name = 'Invalid';
}

/** 412: the asset has another version than `ifMatch`, because it was changed meanwhile. */
export class Conflict extends RegistryError {
  override readonly name = 'Conflict';
}

/** 429, after all retries. */
export class RateLimited extends RegistryError {
  override readonly name = 'RateLimited';
}

/** 502, 503 or 504, after all retries. */
export class Unavailable extends RegistryError {
  override readonly name = 'Unavailable';
}

/** No answer, or an incomplete one, after all retries. `cause` is the error of the connection. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
}

/**
 * The epoch of the feed has changed: the registry was restored or replaced. No entry of the new history was yielded. Offsets of the old history are
 * invalid in it.
 */
export class EpochChanged extends Error {
  override readonly name = 'EpochChanged';

  constructor(
    readonly expected: string,
    readonly found: string,
  ) {
    super(`The feed's epoch is ${found} instead of ${expected}: the registry was restored or replaced`);
  }
}

/**
 * The answer is not from a registry that this client supports: for example a login page or a redirect. Reads are retried for about five minutes
 * first.
 */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

const BY_STATUS: Readonly<Record<number, new (refusal: Refusal) => RegistryError>> = {
  400: Invalid,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  412: Conflict,
  422: Invalid,
  429: RateLimited,
  502: Unavailable,
  503: Unavailable,
  504: Unavailable,
};

/** Makes the error of an answer. @param body unparsed, JSON or not */
export function errorOf(refusal: Omit<Refusal, 'faults'>, body: string): RegistryError {
  const ErrorClass = BY_STATUS[refusal.status] ?? RegistryError;
  return new ErrorClass({ ...refusal, faults: faultsOf(body) });
}

function faultsOf(body: string): Fault[] {
  try {
    const { errors } = JSON.parse(body) as { errors?: unknown };
    const all = Array.isArray(errors) ? (errors as unknown[]) : [];
    return all.filter((one): one is Fault => typeof (Object(one) as Partial<Fault>).description === 'string');
  } catch {
    return [];
  }
}
