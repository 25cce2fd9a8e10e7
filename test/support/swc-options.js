/** Compiles TypeScript for the tests as native ES modules, as the service runs. */
export const SWC_OPTIONS = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    experimental: { keepImportAttributes: true },
  },
  sourceMaps: 'inline',
};
