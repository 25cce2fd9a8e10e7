/*
 * Everything that a team's module may use of the registry: `../vocabulary.js` here, `asset-registry/module` in a package. Everything else may
 * change with any release. docs/modules.md says how each name is used.
 */

export { RegistryModule } from './registry-services.js';
export { type PublicAsset, PublicAssets } from './public-assets.js';

export { apiPaths } from '../http/api-paths.js';
export { Answer, PageAnswer, StreamedAnswer, TaggedAnswer, TaggedPage } from '../http/answer.js';
export { CalledBy, type Caller } from '../http/caller.js';
export { Data, EnvelopeGuard, HasBody, MediaTypeGuard } from '../http/request-body.js';
export type { RegistryRequest, RegistryResponse } from '../http/request.js';

export { accountOf, BrokerKeyGuard, KeyAfterBodyGuard } from '../auth/broker-key.guard.js';
export { OwnerTokenGuard } from '../auth/owner-token.guard.js';
export { RoleGuard, Roles } from '../auth/role.guard.js';

export { ApiError, type Fault } from '../platform/errors/api-error.js';
export * as errors from '../platform/errors/errors.js';
export { RegistryTime } from '../platform/time/registry-time.js';
