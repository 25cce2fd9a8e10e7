import { Answer } from '../http/answer.js';
import { isNoneMatch } from '../http/entity-tag.js';
import type { RegistryTime } from '../time/registry-time.js';
import { type AnyAsset, entityTag, printAsset } from '../asset/asset-view.js';
import { type AnyText, mapText } from '../text/encoded-text.js';

/** 200 with an asset. */
export function answerOf(asset: AnyAsset<AnyText>, time: RegistryTime): Answer {
  const text = mapText(printAsset(asset, time), (printed) => `{"data":${printed}}`);
  return new Answer(200, text, { ETag: entityTag(asset) });
}

/** 304 where an If-None-Match header names the ETag, else what `answer` makes. */
export function unlessKnown(ifNoneMatch: string | undefined, etag: string, answer: () => Answer): Answer {
  return isNoneMatch(ifNoneMatch, etag) ? new Answer(304, undefined, { ETag: etag }) : answer();
}
