import { installPackages } from '../../scripts/machine/apt-get.ts';
import { findProgram, isExecutable } from '../../scripts/machine/find-program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const HOW_TO_GET_ONE = [
  'The tests of the pages need Chromium or Chrome. Do one of these:',
  '  - set CHROMIUM_PATH=/path/of/chromium,',
  `  - install one, so that one of ${NAMES.join(', ')} is on the PATH.`,
].join('\n');

/** The path of the given Chromium, else of an installed one, else of one that is installed now. @throws Error with instructions to get one */
export async function findBrowser(): Promise<string> {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (isExecutable(given)) return given;
    throw new Error(`CHROMIUM_PATH is set, but ${given} is no program that can be run.`);
  }
  return findProgram(...NAMES) ?? (await installBrowser());
}

async function installBrowser(): Promise<string> {
  try {
    await installPackages('No Chromium found', ['chromium']);
  } catch (error) {
    throw new Error(`${HOW_TO_GET_ONE}\nNone was found here, and ${(error as Error).message}`);
  }
  const path = findProgram(...NAMES);
  if (path === undefined) throw new Error(HOW_TO_GET_ONE);
  return path;
}
