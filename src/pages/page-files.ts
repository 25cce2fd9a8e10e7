import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages ask for, under a name that says what is in it: it may be kept for ever. */
interface PageFile {
  name: string;
  bytes: Buffer;
  mediaType: string;
}

const MEDIA_TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'favicon.ico': 'image/vnd.microsoft.icon',
  'robots.txt': 'text/plain; charset=utf-8',
  'check-proof.py': 'text/x-python; charset=utf-8',
} as const;

type SourceName = keyof typeof MEDIA_TYPES;

/** Read at the start: every page names some of them, and later another version may stand in their place, or no file can be opened. */
const FILES = new Map((Object.keys(MEDIA_TYPES) as SourceName[]).map((source) => [source, readPageFile(source)]));

/** @param source its name in `files/` */
export function pageFile(source: SourceName): PageFile {
  return FILES.get(source) as PageFile;
}

/** @param name as pages ask for it */
export function findPageFile(name: string): PageFile | undefined {
  return [...FILES.values()].find((file) => file.name === name);
}

function readPageFile(source: SourceName): PageFile {
  const bytes = readFileSync(new URL(`./files/${source}`, import.meta.url));
  const digest = hash('sha256', bytes).slice(0, 12);
  return { name: source.replace('.', `-${digest}.`), bytes, mediaType: MEDIA_TYPES[source] };
}
