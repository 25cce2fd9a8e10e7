import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import type { RegistryRequest } from './exchange.js';
import { requestIdOf } from './request-head.js';

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

const PAGE = fileURLToPath(new URL('./swagger-ui/', import.meta.url));
const LIBRARY = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const HOUR_MS = 3_600_000;
/** No byte ranges: browsers ask for whole files. */
const OPTIONS = { acceptRanges: false, redirect: false };

/**
 * Swagger UI for the API's own document, served by this service alone. It answers GET and HEAD for its files, and passes everything else on.
 * Express mounts it at DOCS_PATH.
 */
export function swaggerUi(): express.Handler {
  const page = express.static(PAGE, {
    ...OPTIONS,
    setHeaders: (response) => void response.set('Cache-Control', 'no-cache'),
  });
  const library = express.static(LIBRARY, { ...OPTIONS, maxAge: HOUR_MS });
  const files: Readonly<Record<string, express.Handler>> = {
    '/': page,
    '/start.js': page,
    '/swagger-ui.css': library,
    '/swagger-ui-bundle.js': library,
    '/favicon-32x32.png': library,
  };
  return (request, response, next) => {
    const serve = Object.hasOwn(files, request.path) ? files[request.path] : undefined;
    if (serve === undefined || !['GET', 'HEAD'].includes(request.method)) {
      next();
      return;
    }
    const asked = request as unknown as RegistryRequest;
    asked.route = `${DOCS_PATH}/*`;
    // Preconditions are for changes: the library would answer a read that has one with 412.
    delete request.headers['if-match'];
    delete request.headers['if-unmodified-since'];
    response.set({
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-ID': requestIdOf(asked),
    });
    // The page names its files relative to its folder, so the path must end with a slash.
    if (request.originalUrl.split('?')[0] === DOCS_PATH) response.redirect(301, `${DOCS_PATH.slice(1)}/`);
    else serve(request, response, next);
  };
}
