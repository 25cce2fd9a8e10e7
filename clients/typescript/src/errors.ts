/** One fault that the registry names: `location` is `header` or `body`, `name` the header, parameter or field (`value.amount`). */
export interface Fault {
  location: string;
  name: string;
  description: string;
}

/** What an error is made from. */
interface Refusal {
  method: string;
  path: string;
  status: number;
  /** None where what answered was no registry, such as a balancer. */
  faults: readonly Fault[];
  requestId?: string | undefined;
}

/** The registry answered with a status of 400 or above. Neither its message nor its members hold a key or a token. */
export class RegistryError extends Error {
  override readonly name: string = 'RegistryError';
  readonly status: number;
  /** All that is wrong, as the registry told it. */
  readonly errors: readonly Fault[];
  /** By which the registry's operators find the request in their log. */
  readonly requestId: string | undefined;

  constructor({ method, path, status, faults, requestId }: Refusal) {
    const told = faults.map(({ name, description }) => `${name}: ${description}`).join('; ');
    super(`${method} ${path} was answered with ${status}${told === '' ? '' : ` (${told})`}`);
    this.status = status;
    this.errors = faults;
    this.requestId = requestId;
  }
}

/** 401: no key, or one that is not known. */
export class Unauthorized extends RegistryError {
  override readonly name = 'Unauthorized';
}

/** 403: not with this key or token, or not in the asset's state. */
export class Forbidden extends RegistryError {
  override readonly name = 'Forbidden';
}

/** 404: there is no such asset. */
export class NotFound extends RegistryError {
  override readonly name = 'NotFound';
}

/** 400 or 422: `errors` names every faulty parameter or field. */
export class Invalid extends RegistryError {
  override readonly name = 'Invalid';
}

/** 412: the asset is not as `ifMatch` says; somebody has changed it. */
export class Conflict extends RegistryError {
  override readonly name = 'Conflict';
}

/** 429, after all repeats. */
export class RateLimited extends RegistryError {
  override readonly name = 'RateLimited';
}

/** 502, 503 or 504, after all repeats. */
export class Unavailable extends RegistryError {
  override readonly name = 'Unavailable';
}

/** No answer, or no whole one, after all repeats. `cause` says what happened to the connection. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';
}

/**
 * The feed has another history than the one that is followed: the registry was restored or replaced. No entry of the other history was handed out.
 * Offsets of the old one mean nothing in it.
 */
export class EpochChanged extends Error {
  override readonly name = 'EpochChanged';

  constructor(
    readonly expected: string,
    readonly found: string,
  ) {
    super(`The feed's epoch is ${found}, and no more ${expected}: the registry was restored or replaced`);
  }
}

/**
 * What answers is no registry, or not one as this client knows it: a page for people to log in, an address that leads elsewhere. Reads are
 * repeated about five minutes before it is thrown.
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

/** The error of an answer. @param body as it came, JSON or not */
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
