import { describe, expect, it } from '@jest/globals';
import { targetOf } from '../http/request-target.js';
import { linkTo, linkToLanguage, type PageContext } from './page-context.js';

function visitOf(url: string, more: Partial<PageContext> = {}): PageContext {
  const { path, query } = targetOf({ url });
  return {
    language: 'uk',
    hasChosen: false,
    base: 'http://registry.example',
    root: '',
    path,
    query,
    hasSearch: true,
    publisher: {},
    ...more,
  };
}

describe('links', () => {
  it('begin with the path of PUBLIC_URL', () => {
    expect(linkTo(visitOf('/', { root: '/registry' }), '/changes.atom')).toBe('/registry/changes.atom');
  });

  it('repeat no more of a query than the page reads', () => {
    const long = 'x'.repeat(5_000);
    expect(linkToLanguage(visitOf(`/?junk=${long}&q=${long}`), 'en')).toBe(`/?q=${'x'.repeat(200)}&lang=en`);
  });

  it('lead to the same page in another language', () => {
    expect(linkToLanguage(visitOf('/?q=a+b&lang=uk&offset=x'), 'en')).toBe('/?q=a%20b&offset=x&lang=en');
  });

  it.each(['//evil.example/x', '/\\evil.example/x'])('of %s lead to no other site', (path) => {
    const link = linkToLanguage(visitOf(path), 'en');
    expect(new URL(link, 'http://registry.example/').href).toBe('http://registry.example//evil.example/x?lang=en');
  });
});
