/* global SwaggerUIBundle */
SwaggerUIBundle({
  // Relative, so that it is found behind a proxy's prefix too.
  url: '../api/0.1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // The badge would send the document's address to another host.
  validatorUrl: 'none',
});
