import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages link by a name with its digest, so that clients may cache it forever. */
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

/** Read at startup: an upgrade may replace the files while the service runs, or file descriptors may run out. */
const FILES = new Map((Object.keys(MEDIA_TYPES) as SourceName[]).map((source) => [source, readPageFile(source)]));

/** @param source its name in `files/` */
export function pageFile(source: SourceName): PageFile {
  return FILES.get(source) as PageFile;
}

/** @param name with its digest */
export function findPageFile(name: string): PageFile | undefined {
  return [...FILES.values()].find((file) => file.name === name);
}

function readPageFile(source: SourceName): PageFile {
  const bytes = readFileSync(new URL(`./files/${source}`, import.meta.url));
  const digest = hash('sha256', bytes).slice(0, 12);
  return { name: source.replace('.', `-${digest}.`), bytes, mediaType: MEDIA_TYPES[source] };
}
