import { STATUS_CODES } from 'node:http';
import type {
  OperationObject,
  PathItemObject,
  ReferenceObject,
  ResponseObject,
  ResponsesObject,
} from 'openapi3-ts/oas31';

const METHODS = ['get', 'head', 'post', 'patch', 'put', 'delete', 'options'] as const;

/** Moves error responses into shared components, because they would be most of the document. */
export class SharedResponses {
  readonly responses: Record<string, ResponseObject> = {};
  private readonly names = new Map<string, string>();

  /** Replaces the errors of a path by references. */
  of(item: PathItemObject): PathItemObject {
    const shared = { ...item };
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) shared[method] = this.ofOperation(operation);
    }
    return shared;
  }

  private ofOperation(operation: OperationObject): OperationObject {
    return { ...operation, responses: this.share(operation.responses as ResponsesObject) };
  }

  share(responses: ResponsesObject): ResponsesObject {
    const shared = Object.entries(responses).map(([status, response]) => [
      status,
      Number(status) < 400 ? response : this.referenceTo(status, response as ResponseObject),
    ]);
    return Object.fromEntries(shared) as ResponsesObject;
  }

  private referenceTo(status: string, response: ResponseObject): ReferenceObject {
    const text = JSON.stringify(response);
    const known = this.names.get(text) ?? this.freeName(status);
    this.names.set(text, known);
    this.responses[known] = response;
    return { $ref: `#/components/responses/${known}` };
  }

  /** `NotFound`, `NotFound2` and so on. */
  private freeName(status: string): string {
    const wanted = (STATUS_CODES[status] as string).replaceAll(/\W/g, '');
    let name = wanted;
    for (let n = 2; name in this.responses; n++) name = `${wanted}${n}`;
    return name;
  }
}
