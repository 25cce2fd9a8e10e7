import { ASSETS } from './assets.js';

const ASSET = `${ASSETS}/${'0'.repeat(32)}`;

/** Reads that are 400 for the value of a parameter, whatever else is wrong with them: the path, and the parameter's name. */
export const MALFORMED_READS: [path: string, name: string][] = [
  [`${ASSETS}?limit=0`, 'limit'],
  ['/api/0/assets?limit=x', 'limit'],
  [`${ASSETS}?offset=x`, 'offset'],
  [`${ASSETS}/digest?from=x`, 'from'],
  [`${ASSETS}/digest?to=2020-01-01&to=2020-01-02`, 'to'],
  [`${ASSETS}/search?statuss=pending`, 'statuss'],
  [`${ASSETS}/search.csv?valueFrom=1`, 'valueFrom'],
  [`${ASSET}?at=x`, 'at'],
  [`${ASSETS}/x?at=2020-01-01&at=2020-01-02`, 'at'],
  [`${ASSET}/history?at=x`, 'at'],
  [`${ASSET}/history?limit=0`, 'limit'],
  [`${ASSET}/history?offset=x`, 'offset'],
];
