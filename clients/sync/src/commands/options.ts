import { InvalidArgumentError } from 'commander';

/** `a,b` as a list without repetitions. */
export function names(text: string): string[] {
  const all = text.split(',').map((name) => name.trim());
  if (all.some((name) => !/^[A-Za-z]\w*$/.test(name)))
    throw new InvalidArgumentError('It is a list of names such as a,b.');
  return [...new Set(all)];
}

export function seconds(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.');
  return Number(text);
}

export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It begins with http:// or https://.');
  if (url.username !== '' || url.password !== '')
    throw new InvalidArgumentError('It holds no user name: reads need no key.');
  return text.replace(/\/+$/, '');
}
