import type { ReadAsset } from '../database/asset-row.js';
import { Answer, type TextEncoding } from '../http/answer.js';
import { isNoneMatch } from '../http/entity-tag.js';
import type { RegistryTime } from '../time/registry-time.js';
import { entityTag, printAsset } from '../asset/asset-view.js';

/** 200 with an asset. @param encoding of its body */
export function answerOf(asset: ReadAsset, encoding: TextEncoding, time: RegistryTime): Answer {
  return new Answer(200, `{"data":${printAsset(asset, time)}}`, { ETag: entityTag(asset) }, encoding);
}

/** 304 where an If-None-Match header names the ETag, else what `answer` makes. */
export function unlessKnown(ifNoneMatch: string | undefined, etag: string, answer: () => Answer): Answer {
  return isNoneMatch(ifNoneMatch, etag) ? new Answer(304, undefined, { ETag: etag }) : answer();
}
