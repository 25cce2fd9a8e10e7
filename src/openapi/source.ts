import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type {
  HeaderObject,
  InfoObject,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
  SecuritySchemeObject,
  ServerObject,
  TagObject,
} from 'openapi3-ts/oas31';
import type { ErrorName } from './error-examples.js';

/** A successful response; headers by the names of components. */
export type SourceResponse = ResponseObject & { 'x-headers'?: string[]; 'x-optional-headers'?: string[] };

/** One method of one path, without the parts that all operations share. */
export interface SourceOperation extends OperationObject {
  responses: Record<string, SourceResponse>;
  requestBody?: RequestBodyObject;
  /** Names of components. */
  'x-parameters'?: string[];
  /** Errors in addition to those of every request, and of every body if it has one. */
  'x-errors'?: ErrorName[];
}

export interface SourcePath {
  /** Set for a path outside of the API. */
  servers?: ServerObject[];
  get?: SourceOperation;
  post?: SourceOperation;
  patch?: SourceOperation;
}

interface SourceDocument {
  openapi: string;
  info: InfoObject;
  tags: TagObject[];
  paths: Record<string, SourcePath>;
  components: {
    schemas: Record<string, SchemaObject>;
    headers: Record<string, HeaderObject>;
    parameters: Record<string, ParameterObject>;
    securitySchemes: Record<string, SecuritySchemeObject>;
  };
}

/** openapi.yaml; its first lines say what the service adds. */
export const SOURCE = load(readFileSync(join(import.meta.dirname, 'openapi.yaml'), 'utf8')) as SourceDocument;
