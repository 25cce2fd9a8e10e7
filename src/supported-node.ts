import { createRequire } from 'node:module';

const NODE_API = 10;

// Before anything else is loaded: below this Node-API the embedded database crashes the process without a word.
if (Number(process.versions.napi) < NODE_API) {
  goOnAsNewerNode();
  process.stderr.write(`Node ${process.versions.node} is too old: install 22.14, 24.11 or later.\n`);
  process.exit(1);
}

/** Returns where there is none: it comes with the packages for development. */
function goOnAsNewerNode(): void {
  try {
    (createRequire(import.meta.url)('toolchain-node') as { goOn: () => void }).goOn();
  } catch {
    return;
  }
}
