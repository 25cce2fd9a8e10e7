import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Handler } from 'express';
import { actionNotFound } from '../platform/errors/errors.js';
import { allowed, allowing } from './allow-header.js';
import { ASK_FIRST, PageAnswer, TaggedPage, writeAnswer, writePage } from './answer.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

/** Where the API's description is shown to people. */
export const DOCS_PATH = '/docs';

/** The page may load from this service only. Swagger UI also has styles in its elements and icons in its style sheet. */
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
const KEPT_AN_HOUR = { 'Cache-Control': 'public, max-age=3600' };
/** The build copies what is served of Swagger UI's package, which is installed for development only. */
const COPY_OF_LIBRARY = new URL('./swagger-ui/library/', import.meta.url);

/** A file, by its name below DOCS_PATH; read at the start, as later another version may stand in its place, or no file can be opened. */
const FILES: Readonly<Record<string, PageAnswer>> = {
  '/': ours('index.html', 'text/html; charset=utf-8'),
  '/start.js': ours('start.js', 'text/javascript; charset=utf-8'),
  '/swagger-ui.css': ofLibrary('swagger-ui.css', 'text/css; charset=utf-8'),
  '/swagger-ui-bundle.js': ofLibrary('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  '/favicon-32x32.png': ofLibrary('favicon-32x32.png', 'image/png'),
};

function ours(name: string, mediaType: string): PageAnswer {
  return fileAnswer(readFileSync(new URL(`./swagger-ui/${name}`, import.meta.url)), mediaType, ASK_FIRST);
}

function ofLibrary(name: string, mediaType: string): PageAnswer {
  const copy = new URL(name, COPY_OF_LIBRARY);
  const file = existsSync(copy) ? copy : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  return fileAnswer(readFileSync(file), mediaType, KEPT_AN_HOUR);
}

function fileAnswer(bytes: Buffer, mediaType: string, kept: Readonly<Record<string, string>>): PageAnswer {
  return new TaggedPage(bytes, mediaType, { ...HEADERS, ...kept });
}

/**
 * Swagger UI for the API's own document, served by this service alone. It answers for its files, and passes all else on.
 * Express mounts it at DOCS_PATH.
 */
export function swaggerUi(): Handler {
  return (request, response, next) => {
    const file = Object.hasOwn(FILES, request.path) ? FILES[request.path] : undefined;
    if (file === undefined || !['GET', 'HEAD', 'OPTIONS'].includes(request.method)) {
      next(file && actionNotFound(allowed(['GET'])));
      return;
    }
    (request as unknown as RegistryRequest).route = { path: `${DOCS_PATH}/*` };
    if (request.method === 'OPTIONS') {
      writeAnswer(response as unknown as RegistryResponse, allowing(['GET']));
      return;
    }
    // The page names its files relative to its folder, so the path must end with a slash.
    const isFolder = request.originalUrl.split('?')[0] !== DOCS_PATH;
    const answer = isFolder ? file : LEADING_TO_FOLDER;
    writePage(response as unknown as RegistryResponse, answer);
  };
}

/** Relative, so that it is right behind a proxy's prefix too. */
const LEADING_TO_FOLDER = new PageAnswer(301, undefined, '', { ...HEADERS, Location: `${DOCS_PATH.slice(1)}/` });
