import { HtmlValidate, StaticConfigLoader } from 'html-validate';

/** The rules of the HTML standard and those of accessibility that need no browser; none of style. */
const validator = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ['html-validate:standard', 'html-validate:a11y'] }),
);

/** @returns a line for each fault; none is what is wanted */
export async function faultsOfHtml(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ line, column, ruleId, message }) => `${line}:${column} ${ruleId}: ${message}`),
  );
}
