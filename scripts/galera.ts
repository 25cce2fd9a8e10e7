import { GaleraCluster } from './galera/cluster.ts';

const DAY_MS = 86_400_000;

process.stderr.write('Starting three MariaDB nodes as a Galera cluster...\n');
const cluster = await GaleraCluster.start();
process.stdout.write(`${description(cluster)}\n`);
// The cluster ends itself with this process, and this process stays although all nodes may be killed.
setInterval(() => undefined, DAY_MS);

function description({ nodes, url }: GaleraCluster): string {
  const [first] = nodes;
  return [
    ...nodes.map(({ name, port, pid, folder }) => `${name}: 127.0.0.1:${port}, pid ${pid}, files in ${folder}`),
    '',
    'The registry on it:',
    `  export DATABASE_URL='${url}'`,
    '  node dist/cli.js migrate && npm start',
    '',
    'Break it:',
    `  kill -KILL ${first?.pid}    a node dies; it is started again with`,
    `    ${first?.command}`,
    `  kill -STOP ${first?.pid}    a node freezes; kill -CONT ${first?.pid} thaws it`,
    '',
    'Ctrl-C ends all nodes and removes their files.',
  ].join('\n');
}
