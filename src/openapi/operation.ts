import type { MediaTypeObject, ResponseObject } from 'openapi3-ts/oas31';
import type { ErrorName } from './error-examples.js';
import type { ParameterName } from './parameters.js';

/** One method of one path, without what is the same for all. */
export interface Operation {
  id: string;
  summary: string;
  parameters: readonly ParameterName[];
  /** Successful answers by their status. */
  successes: Readonly<Record<string, ResponseObject>>;
  /** What may be answered beside the errors of every request. */
  errors: readonly ErrorName[];
  body?: MediaTypeObject;
  bodyIsOptional?: true;
}

/** The operations of a path below the prefix of the API, or of one outside of it. HEAD and OPTIONS follow from them. */
export interface Path {
  tag: string;
  isOfApi: boolean;
  /** In the path itself, so that every method takes them. */
  parameters?: readonly ParameterName[];
  methods: Readonly<Partial<Record<'get' | 'post' | 'patch', Operation>>>;
}
