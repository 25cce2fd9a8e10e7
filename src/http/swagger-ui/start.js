/* global SwaggerUIBundle */

/** HEAD and OPTIONS say nothing that the other methods of a path do not; they would be most of the blocks. */
const SHOWN = ['get', 'post', 'patch'];

/** The document with one answer for all errors of an operation: they are alike, and each with its headers would fill the page. */
function shortened(document) {
  const paths = Object.entries(document.paths ?? {}).map(([path, { head: _head, options: _options, ...item }]) => {
    const shown = SHOWN.filter((method) => item[method] !== undefined);
    return [path, { ...item, ...Object.fromEntries(shown.map((method) => [method, withOneError(item[method])])) }];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Generators of clients would type each answer as a union of what Accept may ask for; people may choose here. */
function withOtherContent({ 'x-other-content': others, ...response }) {
  return others === undefined ? response : { ...response, content: { ...response.content, ...others } };
}

function withOneError(operation) {
  const all = Object.entries(operation.responses);
  const statuses = all.map(([status]) => status).filter((status) => status >= '400');
  const anyError = {
    description: `An error (${statuses.join(', ')}): the body names what is wrong`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  const successes = all.filter(([status]) => status < '400').map(([status, one]) => [status, withOtherContent(one)]);
  const responses = Object.fromEntries(successes);
  return { ...operation, responses: { ...responses, default: anyError } };
}

SwaggerUIBundle({
  // Relative, so that it is found behind a proxy's prefix too.
  url: '../api/0.1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // The badge would send the document's address to another host.
  validatorUrl: 'none',
  plugins: [
    () => ({
      statePlugins: {
        spec: { wrapActions: { updateJsonSpec: (update) => (document) => update(shortened(document)) } },
      },
    }),
  ],
  // A 401 is for this page to show: the browser would ask for a name and a password, and the page would load forever.
  requestInterceptor: (request) => {
    request.headers['X-Requested-With'] = 'swagger-ui';
    return request;
  },
  showMutatedRequest: false,
});
