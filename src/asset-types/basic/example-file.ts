import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the basic example, relative to the working directory, for commands that a newcomer can paste. */
export const EXAMPLE_FILE = relative('', fileURLToPath(new URL('./basic.example.json', import.meta.url)));
