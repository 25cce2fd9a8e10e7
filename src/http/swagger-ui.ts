import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Handler } from 'express';
import { actionNotFound } from '../platform/errors/errors.js';
import { allowHeader, optionsAnswer } from './allow-header.js';
import { REVALIDATE, PageAnswer, TaggedPage, writeAnswer, writePage } from './answer.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

export const DOCS_PATH = '/docs';

/** The page may load from this service only. Swagger UI needs inline styles, and `data:` icons in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' };
const CACHED_AN_HOUR = { 'Cache-Control': 'public, max-age=3600' };
/** Copy made by the build, because the package of Swagger UI is a development dependency. */
const LIBRARY_COPY = new URL('./swagger-ui/library/', import.meta.url);

/** Files by path below DOCS_PATH. Read at start: later, another version may be installed, or file descriptors may have run out. */
const FILES: Readonly<Record<string, PageAnswer>> = {
  '/': ownFile('index.html', 'text/html; charset=utf-8'),
  '/start.js': ownFile('start.js', 'text/javascript; charset=utf-8'),
  '/swagger-ui.css': libraryFile('swagger-ui.css', 'text/css; charset=utf-8'),
  '/swagger-ui-bundle.js': libraryFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  '/favicon-32x32.png': libraryFile('favicon-32x32.png', 'image/png'),
};

function ownFile(name: string, mediaType: string): PageAnswer {
  return fileAnswer(readFileSync(new URL(`./swagger-ui/${name}`, import.meta.url)), mediaType, REVALIDATE);
}

function libraryFile(name: string, mediaType: string): PageAnswer {
  const copy = new URL(name, LIBRARY_COPY);
  const file = existsSync(copy) ? copy : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  return fileAnswer(readFileSync(file), mediaType, CACHED_AN_HOUR);
}

function fileAnswer(bytes: Buffer, mediaType: string, caching: Readonly<Record<string, string>>): PageAnswer {
  return new TaggedPage(bytes, mediaType, { ...HEADERS, ...caching });
}

/**
 * Serves Swagger UI for the API's document, without other hosts, and passes other paths on. Express mounts it at DOCS_PATH.
 */
export function swaggerUi(): Handler {
  return (request, response, next) => {
    const file = Object.hasOwn(FILES, request.path) ? FILES[request.path] : undefined;
    if (file === undefined || !['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      next(file && actionNotFound(allowHeader(['GET'])));
      return;
    }
    (request as unknown as RegistryRequest).route = { path: `${DOCS_PATH}/*` };
    if (request.method === 'OPTIONS') {
      writeAnswer(response as unknown as RegistryResponse, optionsAnswer(['GET']));
      return;
    }
    // The page names its files relative to its folder, so the path must end with a slash.
    const isFolder = request.originalUrl.split('?')[0] !== DOCS_PATH;
    const answer = isFolder ? file : REDIRECT_TO_FOLDER;
    writePage(response as unknown as RegistryResponse, answer);
  };
}

/** Relative, so that it also works behind a proxy that adds a prefix. */
const REDIRECT_TO_FOLDER = new PageAnswer(301, undefined, '', { ...HEADERS, Location: `${DOCS_PATH.slice(1)}/` });
