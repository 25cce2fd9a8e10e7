/*
 * The same requests served by Fastify with its routes, JSON Schema validation and serializer. Statements and tables are the floor's, so that
 * only the framework differs. Like the floor it does not guarantee the feed.
 */
import type { Server } from 'node:http';
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { FORMATS } from '../floor/asset-schema.js';
import { accountIn, digestOf, Drafts, parseInstant, printInstant } from '../floor/drafts.js';
import type { Store } from '../floor/store.js';
import { CHANGE, CREATE, LIST, READ } from './schemas.js';

const ASSETS = '/api/0.1/assets';

type Fields = Record<string, unknown>;
interface ById {
  Params: { id: string };
}
interface WithData {
  Body: { data: Fields };
}
interface Listing {
  Querystring: { offset: string; limit: string; opt_fields?: string };
}

export async function createFastify(store: Store): Promise<Server> {
  const server = new Handlers(store, await store.accounts(), await Drafts.open(store));
  // No coercion and no removal of fields: invalid requests are refused, as the other servers do.
  const customOptions = { formats: FORMATS, coerceTypes: false, removeAdditional: false } as const;
  const app = fastify({ ajv: { customOptions } });
  app.decorateRequest('account', '');
  app.setErrorHandler<FastifyError>(({ validation, statusCode = 500 }, _request, reply) =>
    refuse(reply, validation === undefined ? statusCode : 422, 'data'),
  );
  const onRequest = (request: FastifyRequest, reply: FastifyReply) => server.authenticate(request, reply);
  app.get<ById>(`${ASSETS}/:id`, { schema: READ }, (request, reply) => server.read(request, reply));
  app.get<Listing>(ASSETS, { schema: LIST }, (request, reply) => server.list(request, reply));
  app.post<WithData>(ASSETS, { schema: CREATE, onRequest }, (request, reply) => server.create(request, reply));
  app.patch<ById & WithData>(`${ASSETS}/:id`, { schema: CHANGE, onRequest }, (request, reply) =>
    server.change(request, reply),
  );
  await app.ready();
  return app.server;
}

class Handlers {
  constructor(
    private readonly store: Store,
    private readonly accounts: ReadonlyMap<string, string>,
    private readonly drafts: Drafts,
  ) {}

  /** Sends the error answer if the key is unknown. */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const account = accountIn(this.accounts, request.headers.authorization);
    if (account === undefined) return refuse(reply, 401, 'Authorization');
    request.setDecorator('account', account);
    return undefined;
  }

  async read({ params }: FastifyRequest<ById>, reply: FastifyReply): Promise<object> {
    const body = await this.store.findBody(params.id);
    return body === undefined ? refuse(reply, 404, 'id') : { data: JSON.parse(body) as Fields };
  }

  async list({ query, host }: FastifyRequest<Listing>, reply: FastifyReply): Promise<object> {
    const { offset, limit, opt_fields: fields } = query;
    const afterUs = offset === '' ? -1 : parseInstant(offset);
    if (Number.isNaN(afterUs)) return refuse(reply, 400, 'offset');
    const isWhole = fields === '*';
    const rows = await this.store.page(isWhole, afterUs, Number(limit));
    const data = rows.map(([first, us]) =>
      isWhole ? (JSON.parse(first) as Fields) : { id: first, dateModified: printInstant(us) },
    );
    const last = rows.at(-1);
    const next = last === undefined ? offset : printInstant(last[1]);
    const path = `${ASSETS}?${new URLSearchParams({ ...query, offset: next }).toString()}`;
    return { next_page: { offset: next, path, uri: `http://${host}${path}` }, data };
  }

  async create(request: FastifyRequest<WithData>, reply: FastifyReply): Promise<object> {
    const { asset, row, token } = this.drafts.make(request.body.data, request.getDecorator<string>('account'));
    await this.store.insert(row);
    reply.code(201).header('Location', `http://${request.host}${ASSETS}/${row.id}`);
    return { access: { token }, data: asset };
  }

  async change(request: FastifyRequest<ById & WithData>, reply: FastifyReply): Promise<object> {
    const { id } = request.params;
    const token = request.headers['x-access-token'];
    const stored = await this.store.find(id);
    if (stored === undefined) return refuse(reply, 404, 'id');
    const isOwner = typeof token === 'string' && digestOf(token) === stored.tokenDigest;
    const isOpen = stored.status === 'draft' || stored.status === 'pending';
    if (!isOwner || !isOpen || request.getDecorator<string>('account') !== stored.owner)
      return refuse(reply, 403, 'token');
    const us = this.drafts.now();
    const asset = { ...(JSON.parse(stored.body) as Fields), ...request.body.data, dateModified: printInstant(us) };
    await this.store.update(id, JSON.stringify(asset), us);
    return { data: asset };
  }
}

function refuse(reply: FastifyReply, status: number, name: string): FastifyReply {
  return reply
    .code(status)
    .send({ status: 'error', errors: [{ location: 'body', name, description: 'It is not accepted' }] });
}
