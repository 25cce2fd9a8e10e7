/** Why there is no connection, by the code of what happened. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection: no registry listens there',
  ENOTFOUND: 'is not found: there is no host of that name',
  EAI_AGAIN: 'is not found: the service that knows the names of hosts does not answer',
  ENETDOWN: 'cannot be reached: this machine has no network',
  ENETUNREACH: 'cannot be reached: no way leads to its network',
  EHOSTDOWN: 'cannot be reached: the host is down',
  EHOSTUNREACH: 'cannot be reached: no way leads to the host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'speaks no TLS: perhaps it is http:// and not https://',
  UND_ERR_CONNECT_TIMEOUT: 'does not answer: nobody takes the connection',
};

const TLS_CODE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Why nothing could be sent, as a sentence with the address.
 * @returns undefined where something else has happened: a request was perhaps sent
 */
export function noConnectionText(address: string, { code = '', message }: NodeJS.ErrnoException): string | undefined {
  const reason = REASONS[code];
  if (reason !== undefined) return `${address} ${reason} (${code})`;
  if (TLS_CODE.test(code)) return `${address} cannot be spoken to over TLS: ${oneLine(message)} (${code})`;
  return undefined;
}

/** OpenSSL's texts end in a line of their own. */
function oneLine(text: string): string {
  return text.trim().split('\n').join(' ');
}
