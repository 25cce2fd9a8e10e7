const { existsSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

/*
 * Removes compiled files whose source was deleted, which the compiler leaves behind. Arguments: the folder, and the folder of its sources. The
 * compiler's own files stay.
 */

const ENDINGS_OF_COMPILED = /\.(js|js\.map|d\.ts)$/;
const OF_THE_COMPILER = /\.tsbuildinfo$/;

const [, , compiled, sources] = process.argv;

for (const name of readdirSync(compiled, { recursive: true })) {
  const source = join(sources, name);
  const hasSource = existsSync(source) || existsSync(source.replace(ENDINGS_OF_COMPILED, '.ts'));
  if (!hasSource && !OF_THE_COMPILER.test(name)) rmSync(join(compiled, name), { recursive: true, force: true });
}
