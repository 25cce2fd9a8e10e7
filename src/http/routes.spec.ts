import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Handler, Routes } from './routes.js';

describe('routes', () => {
  let routes: Routes;
  const list: Handler = () => 'list';
  const read: Handler = () => 'read';
  const options: Handler = () => 'options';

  beforeEach(() => {
    routes = new Routes();
    routes.add('GET', '/api/0.1/assets', list);
    routes.add('GET', '/api/0.1/assets/:id', read);
    routes.add('OPTIONS', '/api/0.1/assets/:id', options);
  });

  const found = (method: string, path: string): unknown => {
    const match = routes.find(method, path);
    return match && [match.route.handle, match.route.template, match.params];
  };

  it('are found by method and path', () => {
    expect(found('GET', '/api/0.1/assets')).toEqual([list, '/api/0.1/assets', {}]);
    expect(found('GET', '/api/0.1/assets/1f')).toEqual([read, '/api/0.1/assets/:id', { id: '1f' }]);
    expect(found('OPTIONS', '/api/0.1/assets/1f')).toEqual([options, '/api/0.1/assets/:id', { id: '1f' }]);
  });

  it('take HEAD as GET', () => {
    expect(found('HEAD', '/api/0.1/assets/1f')).toEqual(found('GET', '/api/0.1/assets/1f'));
    expect(found('HEAD', '/api/0.1/assets')).toEqual(found('GET', '/api/0.1/assets'));
  });

  it('decode the values of parameters', () => {
    expect(routes.find('GET', '/api/0.1/assets/%31%D1%97')?.params).toEqual({ id: '1ї' });
  });

  it.each([
    ['POST', '/api/0.1/assets'],
    ['get', '/api/0.1/assets'],
    ['GET', '/api/0.1/Assets'],
    ['GET', '/api/0x1/assets'],
    ['GET', '/api/0.1/assets/'],
    ['GET', '//api/0.1/assets'],
    ['GET', '/api/0.1/%61ssets'],
    ['GET', '/api/0.1/assets/1f/'],
    ['GET', '/api/0.1/assets/1f/2'],
    ['GET', '/x/api/0.1/assets/1f'],
    ['GET', '/__proto__'],
  ])('do not take %s %s', (method, path) => {
    expect(routes.find(method, path)).toBeUndefined();
  });

  it.each(['/docs/*path', '/{:page}', '/a/:from-:to'])('leave the template %s to others', (template) => {
    expect(routes.add('GET', template, list)).toBe(false);
  });
});
