import { codeOf, isLoginRefused, isTlsFault, messageOf, numberOf } from '../error-code.js';

const ACCESS_DENIED = 1045;
const TLS_REQUIRED = 3159;
const WRITE_TLS =
  'write ?tls=verify at the end of the URL, with &ca=FILE for an authority of your own, or ?tls=require';

/**
 * Why a server lets nobody in, where waiting would not help.
 * @param isPlain whether the connection was not encrypted
 * @returns the end of a sentence that begins with the database; undefined for every other error
 */
export function refusalOf(error: unknown, isPlain: boolean): string | undefined {
  if (numberOf(error) === TLS_REQUIRED) return `the server takes encrypted connections only: ${WRITE_TLS}`;
  if (isLoginRefused(error)) {
    const refused = 'the server refuses the user, password or database name of the URL';
    // A user who may come over TLS only is told the same as one with a wrong password, and so is one whose password it cannot read.
    return isPlain && numberOf(error) === ACCESS_DENIED
      ? `${refused}, or lets this user in over TLS only: then ${WRITE_TLS}`
      : refused;
  }
  if (codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'the server offers no TLS, and was told no password: set up its certificate, or leave tls out where nobody can listen in';
  if (isTlsFault(error))
    return `no secure connection to the server (${messageOf(error)}). tls=verify asks for a certificate that is valid, names the host of the URL, and is signed by an authority of ca=FILE`;
  return undefined;
}
