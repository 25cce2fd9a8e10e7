import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The example of the basic type, by its path from the folder in which the service was started: the first asset that a newcomer creates. */
export const EXAMPLE_FILE = relative('', fileURLToPath(new URL('./basic.example.json', import.meta.url)));
