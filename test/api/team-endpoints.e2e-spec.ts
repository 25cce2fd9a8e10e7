import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AppModule } from '../../src/app.module.js';
import { Answer } from '../../src/http/answer.js';
import { apiPaths } from '../../src/http/api-paths.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { TestRegistry } from '../support/registry.js';

/*
 * A team adds endpoints, described by the usual decorators in its controllers.
 */

const [sqlite] = databases as [TestDatabaseKind];

class Berth {
  @ApiProperty({ description: 'How deep the water is, in metres' })
  depth!: number;
}

/** Its name is that of a schema of the registry. */
class Value {
  @ApiProperty({ type: [Berth] })
  berths!: Berth[];
}

@ApiTags('harbours')
@Controller(apiPaths('harbours/:harbour/berths'))
class BerthsController {
  @Get()
  @ApiOperation({ summary: 'The berths of a harbour' })
  @ApiOkResponse({ type: Value, description: 'Its berths' })
  @ApiNotFoundResponse({ description: 'There is no such harbour' })
  list(@Param('harbour') harbour: string): Answer {
    return new Answer(200, JSON.stringify({ berths: [{ depth: harbour.length }] }));
  }
}

class Tide {
  @ApiProperty()
  height!: number;
}

@Controller('tides')
class TidesController {
  @Get()
  @ApiOkResponse({ type: Tide })
  now(): Answer {
    return new Answer(200, '{"height":1}');
  }
}

@Module({ controllers: [BerthsController, TidesController] })
class HarbourModule {}

describe('endpoints of a team on SQLite', () => {
  let registry: TestRegistry;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into at many places
  let document: any;

  beforeAll(async () => {
    loadServiceHere();
    const withConfig = AppModule.with.bind(AppModule);
    jest.spyOn(AppModule, 'with').mockImplementation((config) => {
      const module = withConfig(config);
      return { ...module, imports: [...(module.imports ?? []), HarbourModule] };
    });
    registry = await TestRegistry.start(sqlite);
    document = (await registry.send('/api/0.1/openapi.json')).json;
  });
  afterAll(async () => {
    await registry?.stop();
    jest.restoreAllMocks();
  });

  it('are in the document as their decorators say, once for both prefixes', () => {
    const { get } = document.paths['/harbours/{harbour}/berths'];
    expect(get).toMatchObject({ tags: ['harbours'], summary: 'The berths of a harbour', security: [] });
    expect(get.parameters).toEqual([{ name: 'harbour', in: 'path', required: true, schema: { type: 'string' } }]);
    expect(get.responses['200'].description).toBe('Its berths');
    const ofError = get.responses['404'].$ref.split('/').at(-1);
    expect(document.components.responses[ofError].description).toBe('There is no such harbour');
    expect(Object.keys(document.paths).filter((path) => path.includes('harbours'))).toHaveLength(1);
  });

  it('have schemas of their own, whose names are no others', () => {
    const { schema } = document.paths['/harbours/{harbour}/berths'].get.responses['200'].content['application/json'];
    expect(schema).toEqual({ $ref: '#/components/schemas/ValueOfEndpoints' });
    const { ValueOfEndpoints, Value: ofAssets, Berth: berth } = document.components.schemas;
    expect(ValueOfEndpoints.properties.berths.items).toEqual({ $ref: '#/components/schemas/Berth' });
    expect(ofAssets.properties).toHaveProperty('amount');
    expect(berth.properties.depth).toMatchObject({ type: 'number' });
  });

  it('have the headers, the errors, HEAD and OPTIONS of every path', () => {
    const { get, head, options, parameters } = document.paths['/harbours/{harbour}/berths'];
    expect(Object.keys(get.responses['200'].headers)).toContain('X-Request-ID');
    expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['400', '429', '500', '503']));
    expect(head.responses['200']).not.toHaveProperty('content');
    expect(options.responses['204'].description).toBe('GET, HEAD, OPTIONS are allowed');
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/opt_pretty' });
  });

  it('are outside of the API if their path is', () => {
    const { get, servers } = document.paths['/tides'];
    expect(servers).toEqual([{ url: '/' }]);
    expect(get.operationId).toBe('TidesController_now');
  });

  it('do not include the operations of openapi.yaml, or the HTML pages', async () => {
    const others = Object.keys(document.paths).filter((path) => /harbours|tides/.test(path));
    expect(others).toEqual(['/harbours/{harbour}/berths', '/tides']);
    expect(document.paths).not.toHaveProperty('/assets/{name}');
  });

  // Every answer is compared with the document of the service, too.
  it.each(['/api/0.1/harbours/odesa/berths', '/api/0/harbours/odesa/berths', '/tides'])('%s answers', async (path) => {
    expect((await registry.send(path)).status).toBe(200);
    expect((await registry.send(path, { method: 'HEAD' })).status).toBe(200);
  });
});
