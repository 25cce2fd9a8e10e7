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

/** An answer as a client saw it, and what it had asked. */
export interface SeenAnswer {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  text: string;
  /** The body that was sent, where it is known as text. */
  sent?: string | undefined;
}

const PREFIX = /^\/api\/0(?:\.1)?(?=\/)/;
const BODILESS = new Set([204, 304]);
/** Of the connection and the message, whatever is in it. */
const TRANSPORT = new Set([
  'connection',
  'keep-alive',
  'date',
  'server',
  'content-length',
  'content-type',
  'transfer-encoding',
]);
const MAX_TOLD = 5;

interface Template {
  pattern: RegExp;
  isOfApi: boolean;
  item: PathItemObject;
}

/** Compares answers with an OpenAPI document: its statuses, headers and bodies. */
export class DescribedAnswers {
  // Formats are what the registry means by them; `iri` is what a browser takes.
  private readonly ajv = new Ajv2020({
    strict: false,
    // src/openapi/document.spec.ts judges the document; here it would cost each test file the time to compile the meta-schema.
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
    // A path without parameters is meant before one with them. Source: OpenAPI 3.1, Paths Object.
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

  /** What the document does not say of an answer; nothing where it is as described. */
  faultsOf(answer: SeenAnswer): string[] {
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

  private operationOf({ method, path }: SeenAnswer): OperationObject | undefined {
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

  /** What was taken must be what is described, too. */
  private faultsOfRequest(operation: OperationObject | undefined, { status, sent }: SeenAnswer): string[] {
    if (operation?.requestBody === undefined || sent === undefined || status >= 400) return [];
    const { content } = this.resolve<RequestBodyObject>(operation.requestBody);
    return this.faultsOfJson('the request that was taken', content['application/json']?.schema, sent);
  }

  private faultsOfHeaders({ headers = {} }: ResponseObject, answer: SeenAnswer): string[] {
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
    { method, status, headers, text }: SeenAnswer,
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
    const told = isValid.errors?.slice(0, MAX_TOLD).map(({ instancePath, message }) => `${instancePath} ${message}`);
    return [`${what}: ${told?.join('; ')}: ${text.slice(0, 300)}`];
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
