import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Handler, Routes } from './registry-adapter.js';

describe('routes', () => {
  let routes: Routes;
  const list: Handler = () => 'list';
  const read: Handler = () => 'read';
  const change: Handler = () => 'change';

  beforeEach(() => {
    routes = new Routes();
    routes.add('GET', '/api/0.1/assets', list);
    routes.add('GET', '/api/0.1/assets/:id', read);
    routes.add('PATCH', '/api/0.1/assets/:id', change);
    routes.add('GET', '/api/0.1/assets/digest', read);
  });

  const found = (method: string, path: string): unknown => {
    const match = routes.find(method, path);
    return match && [match.handle, match.template, match.params];
  };

  it('take a literal path by no template, whatever the method', () => {
    expect(found('GET', '/api/0.1/assets/digest')).toEqual([read, '/api/0.1/assets/digest', {}]);
    expect(found('PATCH', '/api/0.1/assets/digest')).toBeUndefined();
    expect(routes.allowedAt('/api/0.1/assets/digest')).toBe('GET, HEAD, OPTIONS');
  });

  it('decode the values of parameters', () => {
    expect(routes.find('GET', '/api/0.1/assets/%31%D1%97')?.params).toEqual({ id: '1ї' });
  });

  it.each([
    ['OPTIONS', '/api/0.1/Assets'],
    ['GET', '/api/0x1/assets'],
    ['GET', '/api/0.1/assets/1f/'],
    ['GET', '/x/api/0.1/assets/1f'],
    ['GET', '/__proto__'],
  ])('do not take %s %s', (method, path) => {
    expect(routes.find(method, path)).toBeUndefined();
  });

  it.each(['/docs/*path/x', '/{:page}', '/a/:from-:to'])('leave the template %s to others', (template) => {
    expect(routes.add('GET', template, list)).toBe(false);
  });
});
