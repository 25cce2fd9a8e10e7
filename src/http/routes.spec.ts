import { describe, expect, it } from '@jest/globals';
import { Routes } from './routes.js';

describe('Routes', () => {
  const routes = new Routes();
  routes.add('GET', '/api/0.1/assets');
  routes.add('GET', '/api/0.1/assets/:id');
  routes.add('PATCH', '/api/0.1/assets/:id');
  routes.add('GET', '/api/0.1/assets/digest');

  it('takes a literal path by no template, whatever the method', () => {
    expect(routes.templateOf('GET', '/api/0.1/assets/digest')).toBe('/api/0.1/assets/digest');
    expect(routes.templateOf('PATCH', '/api/0.1/assets/digest')).toBeUndefined();
    expect(routes.methodsAt('/api/0.1/assets/digest')).toEqual(new Set(['OPTIONS', 'GET', 'HEAD']));
  });

  it('takes a path by its template', () => {
    expect(routes.templateOf('HEAD', '/api/0.1/assets/%31')).toBe('/api/0.1/assets/:id');
    expect(routes.methodsAt('/api/0.1/assets/1f')).toEqual(new Set(['OPTIONS', 'GET', 'HEAD', 'PATCH']));
  });

  it.each(['/api/0.1/Assets', '/api/0x1/assets', '/api/0.1/assets/1f/', '/x/api/0.1/assets/1f', '/__proto__'])(
    'does not take %s',
    (path) => {
      expect(routes.templateOf('GET', path)).toBeUndefined();
      expect(routes.methodsAt(path)).toBeUndefined();
    },
  );

  it.each(['/docs/*path/x', '/{:page}', '/a/:from-:to'])('refuses the template %s', (template) => {
    expect(() => routes.add('GET', template)).toThrow(template);
  });
});
