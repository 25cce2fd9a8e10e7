/** The visible text of an HTML page, in one line. */
export function textOf(page: string): string {
  return decoded(page.replaceAll(/<(head|datalist)\b(?!er)[\s\S]*?<\/\1>|<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** All values of an attribute in a page. */
export function attributes(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) => decoded(value as string));
}

/** The targets of links with this `rel`. */
export function linksOf(page: string, rel: string): string[] {
  return [...page.matchAll(/<a\s[^>]*>/g)]
    .filter(([tag]) => attributes(tag, 'rel').includes(rel))
    .flatMap(([tag]) => attributes(tag, 'href'));
}

/** The assetIDs of a list, in its order. */
export function listedOn(page: string): string[] {
  const list = /<ol id="assets">([\s\S]*?)<\/ol>/.exec(page)?.[1] ?? '';
  return attributes(list, 'href').map((href) => href.replace(/^.*\/assets\/|\?.*$/g, ''));
}

/** Whether the index of a search was incomplete, as it may be for some seconds on a busy machine. */
export function isIndexIncomplete(page: string): boolean {
  return page.includes('<p role="status" class="banner">The search index is still being built');
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };

function decoded(text: string): string {
  return text.replaceAll(/&([a-z]+|#39);/g, (reference, name: string) => CHARACTERS[name] ?? reference);
}
