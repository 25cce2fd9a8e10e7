/** Why the connection failed, by error code. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: no server listens at this port',
  ENOTFOUND: 'is not found: no host has this name',
  EAI_AGAIN: 'is not found: the name server (DNS) does not answer',
  ENETDOWN: 'cannot be reached: this machine has no network',
  ENETUNREACH: 'cannot be reached: no route to its network',
  EHOSTDOWN: 'cannot be reached: the host is down',
  EHOSTUNREACH: 'cannot be reached: no route to the host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not use TLS: try http:// instead of https://',
  UND_ERR_CONNECT_TIMEOUT: 'does not answer: the connection timed out',
};

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Describes a failed connection in a sentence with the address.
 * @returns undefined for other errors, after which the request may have been sent
 */
export function noConnectionText(address: string, { code = '', message }: NodeJS.ErrnoException): string | undefined {
  const reason = REASONS[code];
  if (reason !== undefined) return `${address} ${reason} (${code})`;
  if (TLS_CODE.test(code)) return `${address} has no usable TLS: ${oneLine(message)} (${code})`;
  return undefined;
}

/** OpenSSL's messages end with a line break. */
function oneLine(text: string): string {
  return text.trim().split('\n').join(' ');
}
