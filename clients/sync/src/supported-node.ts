const NODE_API = 10;

// Runs before other modules are loaded: below this Node-API version the embedded database crashes the process without a message.
if (Number(process.versions.napi) < NODE_API) {
  process.stderr.write(`Node ${process.versions.node} is too old: install 22.14, 24.11 or later.\n`);
  process.exit(1);
}

export {};
