import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  All,
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Header,
  Headers as SentHeaders,
  HttpCode,
  HttpException,
  HttpStatus,
  Injectable,
  InternalServerErrorException,
  Ip,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestMiddleware,
  NotFoundException,
  Param,
  ParseIntPipe,
  Patch,
  Post,
  Put,
  Query,
  Redirect,
  Res,
  StreamableFile,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { IsInt, IsString } from 'class-validator';
import type { Response } from 'express';
import { map, type Observable } from 'rxjs';
import { createApp, type MakeApplication, type Registry } from '../../src/app.js';
import { AuthModule } from '../../src/auth/auth.module.js';
import { BrokerKeyGuard } from '../../src/auth/broker-key.guard.js';
import { ClockModule } from '../../src/feed/clock/clock.module.js';
import { apiPaths } from '../../src/http/api-paths.js';
import { EnvelopeGuard, MediaTypeGuard } from '../../src/http/request-body.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { basic, testConfig } from '../support/registry.js';

/*
 * A module of a team is written as Nest's documentation shows it, and its answers have the headers, the errors, the limit of the body and the
 * rate limits of the registry.
 */

const LIMIT = 1_024;
const SECRET = 'a secret of another service';

class NewLot {
  @IsString() title!: string;
  @IsInt() number!: number;
}

@Injectable()
class Prices {
  of(number: number): number {
    return number * 100;
  }
}

@Injectable()
class Doorkeeper implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['x-word'] === 'please';
  }
}

@Injectable()
class Wrapping implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: unknown) => ({ wrapped: value })));
  }
}

@Injectable()
class Marking implements NestMiddleware {
  use(request: { body?: unknown; mark?: unknown }, response: Response, next: () => void): void {
    response.setHeader('X-Marked', JSON.stringify(request.body ?? null));
    next();
  }
}

@Injectable()
class Closed implements NestMiddleware {
  use(_: unknown, response: Response): void {
    response.status(HttpStatus.I_AM_A_TEAPOT).json({ closed: true });
  }
}

@Controller('lots')
class LotsController {
  constructor(private readonly prices: Prices) {}

  @Get()
  list(@Query('first') first: string, @Query() all: Record<string, string>): unknown {
    return { first, all };
  }

  @Get('text')
  text(): string {
    return 'Hello';
  }

  @Get('page')
  @Header('Content-Type', 'text/html')
  page(): string {
    return '<p>Hello</p>';
  }

  @Get('nothing')
  nothing(): void {}

  @Get('later')
  later(): Promise<unknown> {
    return Promise.resolve([1, 2]);
  }

  @Get('headers')
  headers(@SentHeaders('x-word') word: string, @Ip() ip: string): unknown {
    return { word, ip };
  }

  @Get('res')
  res(@Res() response: Response): void {
    response.status(HttpStatus.ACCEPTED).set('X-Own', 'yes').json({ by: 'res' });
  }

  @Get('sent')
  sent(@Res() response: Response): void {
    response.send('<p>sent</p>');
  }

  @Get('passthrough')
  passthrough(@Res({ passthrough: true }) response: Response): unknown {
    response.status(HttpStatus.ACCEPTED).set('Cache-Control', 'no-store');
    return { by: 'passthrough' };
  }

  @Get('moved')
  @Redirect('/lots', 301)
  moved(): void {}

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('bytes'), { type: 'application/pdf', disposition: 'attachment' });
  }

  @Get('gone')
  gone(): StreamableFile {
    return new StreamableFile(createReadStream(`/nowhere/${SECRET}`));
  }

  @Get('wrapped')
  @UseInterceptors(Wrapping)
  wrapped(): unknown {
    return [1];
  }

  @Get('guarded')
  @UseGuards(Doorkeeper)
  guarded(): unknown {
    return { in: true };
  }

  @Get('fails/:how')
  fails(@Param('how') how: string): never {
    if (how === 'not-found') throw new NotFoundException('No such lot');
    if (how === 'custom') throw new HttpException({ status: 403, error: 'This is a custom message' }, 403);
    if (how === 'many') throw new BadRequestException(Array.from({ length: 30 }, (_, i) => `fault ${i}`));
    if (how === 'plain-500') throw new InternalServerErrorException('The land register is away');
    if (how === 'foreign') throw new HttpException(new Error(SECRET) as never, 502);
    throw new Error(SECRET);
  }

  @Get('returned-error')
  returnedError(): unknown {
    return Object.assign(new Error('x'), { config: SECRET });
  }

  @Get('wild/*rest')
  wild(@Param('rest') rest: unknown): unknown {
    return { rest };
  }

  @Get(':number')
  read(@Param('number', ParseIntPipe) number: number): unknown {
    return { number, price: this.prices.of(number) };
  }

  @Post()
  create(@Body(new ValidationPipe({ transform: true })) lot: NewLot, @Body('title') title: string): unknown {
    return { lot, title, isDto: lot instanceof NewLot };
  }

  @Post('raw')
  @HttpCode(202)
  raw(@Body() body: unknown): unknown {
    return { body };
  }

  @Put(':number')
  replace(@Param('number', ParseIntPipe) number: number, @Body() body: unknown): unknown {
    return { number, body };
  }

  @Patch(':number')
  change(@Body() body: unknown): unknown {
    return { body };
  }

  @Delete(':number')
  @HttpCode(204)
  remove(): void {}

  @All('any/method')
  any(): unknown {
    return 'any';
  }
}

/** The parts of the registry that a team uses: prefix, key and envelope. */
@Controller(apiPaths('bids'))
class BidsController {
  @Post()
  @UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard)
  create(): unknown {
    return { made: true };
  }
}

@Controller(apiPaths('echo'))
@UseGuards(MediaTypeGuard, BrokerKeyGuard, EnvelopeGuard)
class EchoController {
  @Post()
  create(@Body() body: unknown): unknown {
    return { body };
  }
}

@Module({
  imports: [AuthModule, ClockModule],
  controllers: [LotsController, BidsController, EchoController],
  providers: [Prices],
})
class LotsModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(Marking).forRoutes(LotsController);
    consumer.apply(Closed).forRoutes({ path: 'closed', method: 0 });
  }
}

const withLots: MakeApplication = async (root, adapter, options) => {
  const building = Test.createTestingModule({ imports: [root, LotsModule] });
  const module = await building
    .overrideProvider(Prices)
    .useValue({ of: () => 7 })
    .compile();
  return module.createNestApplication(adapter, options);
};

interface Answered {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of many shapes
  json: any;
}

describe.each(embedded)('a module of a team, on $name', (kind) => {
  let database: TestDatabase;
  let registry: Registry;
  let url: string;

  const ask = async (path: string, options: RequestInit = {}): Promise<Answered> => {
    const reply = await fetch(url + path, { redirect: 'manual', ...options });
    const text = await reply.text();
    const isJson = reply.headers.get('content-type') === 'application/json';
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
    ask(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } });
  const start = async (env: Record<string, string> = {}): Promise<Registry> => {
    const started = await createApp(testConfig(database.url, { BODY_LIMIT: String(LIMIT), ...env }), withLots);
    url = await started.listen();
    return started;
  };

  beforeAll(async () => {
    database = await kind.create();
    registry = await start();
  });
  afterAll(async () => {
    await registry?.close();
    await database?.drop();
  });

  const expectWire = ({ headers }: Answered): void => {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('cache-control')).not.toBeNull();
    expect(headers.get('x-powered-by')).toBeNull();
  };

  /** The ten usual constructs of Nest: requests and answers. */
  const CONSTRUCTS: [string, () => Promise<Answered>, number, unknown][] = [
    ['a returned value', () => ask('/lots/later'), 200, [1, 2]],
    ['@Query()', () => ask('/lots?first=a%20b&second=2'), 200, { first: 'a b', all: { first: 'a b', second: '2' } }],
    [
      '@Body() with ValidationPipe',
      () => send('POST', '/lots', { title: 't', number: 1 }),
      201,
      { lot: { title: 't', number: 1 }, title: 't', isDto: true },
    ],
    ['@Param() with ParseIntPipe', () => ask('/lots/5'), 200, { number: 5, price: 7 }],
    [
      '@Headers() and @Ip()',
      () => ask('/lots/headers', { headers: { 'X-Word': 'w' } }),
      200,
      { word: 'w', ip: '127.0.0.1' },
    ],
    ['@Res()', () => ask('/lots/res'), 202, { by: 'res' }],
    ['@Res({ passthrough: true })', () => ask('/lots/passthrough'), 202, { by: 'passthrough' }],
    [
      'an HttpException',
      () => ask('/lots/fails/not-found'),
      404,
      { status: 'error', errors: [{ location: 'header', name: 'path', description: 'No such lot' }] },
    ],
    ['an interceptor', () => ask('/lots/wrapped'), 200, { wrapped: [1] }],
    ['a guard', () => ask('/lots/guarded', { headers: { 'X-Word': 'please' } }), 200, { in: true }],
  ];

  it.each(CONSTRUCTS)('%s', async (_, request, status, body) => {
    const answered = await request();
    expect([answered.status, answered.json]).toEqual([status, body]);
    expect(answered.headers.get('content-type')).toBe('application/json');
    expectWire(answered);
  });

  it('runs its middleware, with the body, before its routes', async () => {
    expect((await send('POST', '/lots/raw', [1])).headers.get('x-marked')).toBe('[1]');
    expect((await ask('/lots')).headers.get('x-marked')).toBe('null');
    expect((await ask('/api/0.1/assets')).headers.get('x-marked')).toBeNull();
    const closed = await ask('/closed');
    expect([closed.status, closed.json]).toEqual([418, { closed: true }]);
    expectWire(closed);
  });

  it('replaces a provider by overrideProvider', async () => {
    expect((await ask('/lots/9')).json).toEqual({ number: 9, price: 7 });
  });

  it('answers a string as JSON or as its Content-Type, and undefined with an empty body', async () => {
    expect((await ask('/lots/text')).json).toBe('Hello');
    const page = await ask('/lots/page');
    expect([page.text, page.headers.get('content-type')]).toEqual(['<p>Hello</p>', 'text/html; charset=utf-8']);
    const nothing = await ask('/lots/nothing');
    expect([nothing.status, nothing.text, nothing.headers.get('content-type')]).toEqual([200, '', null]);
    expect((await ask('/lots/later?opt_pretty=1')).text).toBe('[\n  1,\n  2\n]');
  });

  it('can send by Express’s response, with the registry’s headers', async () => {
    const sent = await ask('/lots/sent');
    expect([sent.text, sent.headers.get('content-type')]).toEqual(['<p>sent</p>', 'text/html; charset=utf-8']);
    expectWire(sent);
    expect((await ask('/lots/res')).headers.get('x-own')).toBe('yes');
    expect((await ask('/lots/passthrough')).headers.get('cache-control')).toBe('no-store');
    const moved = await ask('/lots/moved');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, '/lots']);
    expectWire(moved);
  });

  it('sends a file, or an error if it cannot be opened', async () => {
    const file = await ask('/lots/file');
    expect([file.text, file.headers.get('content-type'), file.headers.get('content-length')]).toEqual([
      'bytes',
      'application/pdf',
      '5',
    ]);
    expectWire(file);
    const gone = await ask('/lots/gone');
    expect([gone.status, gone.json.errors[0].name]).toEqual([500, 'server']);
    expect(gone.text).not.toContain(SECRET);
  });

  it.each([
    ['/lots/five', 400, 'request', 'Validation failed (numeric string is expected)'],
    ['/lots/fails/custom', 403, 'Authorization', 'This is a custom message'],
    ['/lots/guarded', 403, 'Authorization', 'Forbidden resource'],
    ['/lots/fails/plain-500', 500, 'server', 'The land register is away'],
    ['/lots/fails/foreign', 502, 'server', 'Bad Gateway'],
    ['/lots/fails/by-a-defect', 500, 'server', 'The registry failed to answer; the defect has been logged'],
    ['/lots/returned-error', 500, 'server', 'The registry failed to answer; the defect has been logged'],
  ])('refuses %s with an error body that has its own text only', async (path, status, name, description) => {
    const answered = await ask(path);
    expect(answered.json).toEqual({ status: 'error', errors: [{ location: 'header', name, description }] });
    expect(answered.status).toBe(status);
    expect(answered.text).not.toContain(SECRET);
    expectWire(answered);
  });

  it('has an entry for each message of a pipe, 20 at most', async () => {
    const { status, json } = await send('POST', '/lots', {});
    expect([status, json.errors]).toEqual([
      400,
      ['title must be a string', 'number must be an integer number'].map((description) => ({
        location: 'body',
        name: 'data',
        description,
      })),
    ]);
    expect((await ask('/lots/fails/many')).json.errors).toHaveLength(20);
  });

  it.each(['POST', 'PUT', 'PATCH'])('has a body of %s refused as the registry does', async (method) => {
    const path = method === 'POST' ? '/lots/raw' : '/lots/1';
    const nameOf = ({ status, json }: Answered): unknown => [status, json.errors[0].name];
    expect(nameOf(await send(method, path, {}, { 'Content-Type': 'text/plain' }))).toEqual([415, 'Content-Type']);
    expect(nameOf(await send(method, path, {}, { 'Content-Encoding': 'gzip' }))).toEqual([415, 'Content-Encoding']);
    expect(nameOf(await send(method, path, ['x'.repeat(LIMIT)]))).toEqual([413, 'data']);
    for (const body of ['{', '1', '{"a":1,"a":2}', `${'['.repeat(17)}${']'.repeat(17)}`])
      expect(nameOf(await ask(path, { method, body, headers: { 'Content-Type': 'application/json' } }))).toEqual([
        422,
        'data',
      ]);
    expect((await send(method, path, { a: [1.5, 1e300] })).json.body).toEqual({ a: [1.5, 1e300] });
    expect((await ask(path, { method })).status).toBeLessThan(300);
  });

  it('has every method, and OPTIONS lists them', async () => {
    const removed = await ask('/lots/1', { method: 'DELETE' });
    expect([removed.status, removed.text]).toEqual([204, '']);
    const options = await ask('/lots/1', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS']);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await ask('/lots/any/method', { method })).json).toBe('any');
    const head = await ask('/lots/5', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await ask('/lots/wild/a/b')).json).toEqual({ rest: ['a', 'b'] });
    const refused = await ask('/lots/text', { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([404, 'GET, HEAD, OPTIONS']);
    expect((await ask('/nowhere')).json.errors[0].description).toContain('There is no such action');
  });

  it('accepts the registry’s keys and bodies by its guards, on the handler or on the controller', async () => {
    const key = { Authorization: basic('broker') };
    expect((await send('POST', '/api/0/bids', { data: {} })).status).toBe(401);
    expect((await send('POST', '/api/0.1/bids', { data: {} }, key)).json).toEqual({ made: true });
    expect((await send('POST', '/api/0.1/bids', {}, key)).json.errors[0].description).toContain('Data not available');
    expect((await send('POST', '/api/0.1/echo', { data: {} }, key)).json).toEqual({ body: { data: {} } });
    expect((await send('POST', '/api/0.1/echo', {}, key)).status).toBe(422);
  });

  it('sees the client’s address behind a proxy only if TRUST_PROXY names it', async () => {
    const asked = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
    expect((await ask('/lots/headers', asked)).json.ip).toBe('127.0.0.1');
    await registry.close();
    registry = await start({ TRUST_PROXY: '127.0.0.0/8' });
    expect((await ask('/lots/headers', asked)).json.ip).toBe('192.0.2.1');
  });

  it('counts requests without a key by address, and those with one by account', async () => {
    await registry.close();
    registry = await start({ RATE_LIMIT: '1', RATE_LIMIT_READS: '0.01/3', RATE_LIMIT_WRITES: '0.01/1' });
    const key = { Authorization: basic('broker') };
    const statuses: number[] = [];
    for (let i = 0; i < 2; i++) statuses.push((await send('POST', '/api/0.1/bids', { data: {} }, key)).status);
    expect(statuses).toEqual([201, 429]);
    const paths: [string, RequestInit][] = [
      ['/lots/text', {}],
      ['/lots/1', { method: 'DELETE' }],
      ['/lots/raw', { method: 'POST' }],
      ['/lots/raw', { method: 'POST' }],
    ];
    const answers = [];
    for (const [path, options] of paths) answers.push(await ask(path, options));
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 202, 429]);
    expect(answers[0]?.headers.get('ratelimit')).toMatch(/^"reads";r=2/);
  });
});
