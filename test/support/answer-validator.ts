import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isRFC3339 } from 'class-validator';
import type {
  ContentObject,
  HeaderObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  PathItemObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  ResponsesObject,
} from 'openapi3-ts/oas31';

/** A request and its answer, as a client saw them. */
export interface ObservedAnswer {
  method: string;
  /** Path with its query. */
  path: string;
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  text: string;
  /** The request's body, if known as text. */
  sent?: string | undefined;
}

const PREFIX = /^\/api\/0(?:\.1)?(?=\/)/;
const BODILESS = new Set([204, 304]);
/** Headers of the connection and of framing, which every answer may have. */
const TRANSPORT = new Set([
  'connection',
  'keep-alive',
  'date',
  'server',
  'content-length',
  'content-type',
  'transfer-encoding',
]);
const MAX_LISTED = 5;

interface Template {
  pattern: RegExp;
  isOfApi: boolean;
  item: PathItemObject;
}

/** Compares answers with an OpenAPI document: its statuses, headers and bodies. */
export class AnswerValidator {
  // The registry defines what formats mean; `iri` is an address that a browser accepts.
  private readonly ajv = new Ajv2020({
    strict: false,
    // src/openapi/document.spec.ts validates the document; doing it here would cost each test file the compilation of the meta-schema.
    meta: false,
    validateSchema: false,
    validateFormats: true,
    formats: {
      uri: (text) => /^[\x21-\x7e]+$/.test(text) && URL.canParse(text),
      iri: (text) => URL.canParse(text),
      'date-time': (text) => isRFC3339(text),
    },
  });
  private readonly templates: Template[];
  private readonly headers = new Map<AnySchemaObject, ValidateFunction>();

  constructor(private readonly document: OpenAPIObject) {
    this.ajv.addSchema(document, 'openapi', false, false);
    // Paths without parameters take precedence. Source: OpenAPI 3.1, Paths Object.
    const paths = Object.entries(document.paths ?? {}).toSorted(
      ([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')),
    );
    this.templates = paths.map(([template, item]) => ({
      pattern: new RegExp(
        `^${template
          .replaceAll('.', '\\.')
          .replace('{tilePath}', '.+')
          .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
      isOfApi: item.servers === undefined,
      item,
    }));
  }

  /** Differences between an answer and the document; empty if there are none. */
  faultsOf(answer: ObservedAnswer): string[] {
    const operation = this.operationOf(answer);
    const responses = operation?.responses ?? this.otherResponses();
    const found = responses[answer.status] as ResponseObject | ReferenceObject | undefined;
    if (found === undefined)
      return [`status ${answer.status}, where there may be ${Object.keys(responses).join(', ')}`];
    const response = this.resolve<ResponseObject>(found);
    return [
      ...this.faultsOfHeaders(response, answer),
      ...this.faultsOfBody(response, answer),
      ...this.faultsOfRequest(operation, answer),
    ];
  }

  private operationOf({ method, path }: ObservedAnswer): OperationObject | undefined {
    const [bare = ''] = path.split('?');
    const below = bare.replace(PREFIX, '');
    const template = this.templates.find(({ pattern, isOfApi }) =>
      isOfApi ? PREFIX.test(bare) && pattern.test(below) : pattern.test(bare),
    );
    return template?.item[method.toLowerCase() as 'get'];
  }

  private otherResponses(): ResponsesObject {
    return (this.document['x-other-requests'] as { responses: ResponsesObject }).responses;
  }

  /** A request that was accepted must match its description, too. */
  private faultsOfRequest(operation: OperationObject | undefined, { status, sent }: ObservedAnswer): string[] {
    if (operation?.requestBody === undefined || sent === undefined || status >= 400) return [];
    const { content } = this.resolve<RequestBodyObject>(operation.requestBody);
    return this.faultsOfJson('the request that was taken', content['application/json']?.schema, sent);
  }

  private faultsOfHeaders({ headers = {} }: ResponseObject, answer: ObservedAnswer): string[] {
    const faults: string[] = [];
    const described = new Set<string>();
    for (const [name, header] of Object.entries(headers)) {
      const { required, schema } = this.resolve<HeaderObject>(header);
      const value = answer.headers.get(name.toLowerCase());
      described.add(name.toLowerCase());
      if (value === undefined) {
        if (required) faults.push(`no header ${name}`);
      } else if (!this.isHeader(schema as AnySchemaObject, value)) faults.push(`header ${name}: ${value}`);
    }
    const others = [...answer.headers.keys()].filter((name) => !described.has(name) && !TRANSPORT.has(name));
    return [...faults, ...others.map((name) => `a header ${name}`)];
  }

  private isHeader(schema: AnySchemaObject, value: string): boolean {
    const isValid = this.headers.get(schema) ?? this.ajv.compile(schema);
    this.headers.set(schema, isValid);
    return isValid(schema['type'] === 'integer' ? Number(value) : value) as boolean;
  }

  private faultsOfBody(
    { content, 'x-other-content': others }: ResponseObject,
    { method, status, headers, text }: ObservedAnswer,
  ): string[] {
    if (method === 'HEAD' || BODILESS.has(status)) return text === '' ? [] : ['a body where none may be'];
    const type = headers.get('content-type') ?? '';
    const schema = { ...content, ...(others as ContentObject) }[type]?.schema;
    if (schema === undefined) return [`Content-Type: ${type}`];
    if (type !== 'application/json') return [];
    return this.faultsOfJson('body', schema, text);
  }

  private faultsOfJson(what: string, schema: MediaTypeObject['schema'], text: string): string[] {
    const isValid = this.ajv.getSchema(`openapi${(schema as ReferenceObject).$ref}`) as ValidateFunction;
    if (isValid(parse(text))) return [];
    const messages = isValid.errors
      ?.slice(0, MAX_LISTED)
      .map(({ instancePath, message }) => `${instancePath} ${message}`);
    return [`${what}: ${messages?.join('; ')}: ${text.slice(0, 300)}`];
  }

  private resolve<T extends object>(found: T | ReferenceObject): T {
    if (!('$ref' in found)) return found;
    const names = found.$ref.slice('#/'.length).split('/');
    return names.reduce((part, name) => (part as Record<string, object>)[name] as object, this.document as object) as T;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
