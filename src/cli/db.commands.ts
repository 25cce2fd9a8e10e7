import type { Command } from 'commander';
import { operatorNow } from '../auth/operator.js';
import { namedUrl } from '../platform/config/named-url.js';
import { assertEqual, type Comparison } from '../database/copy/digest.js';
import { compare, move } from '../database/copy/move.js';
import { reportUnaudited } from './audit.command.js';
import { list } from './table-output.js';
import { progressBar } from './progress-bar.js';
import { withNewFolder } from './with-registry.js';

export function addDbCommands(program: Command): void {
  const db = program
    .command('db')
    .description(
      'whole databases; name each by a URL as in DATABASE_URL, or by env:NAME or file:PATH that contains the URL, which keeps a password out of ' +
        'the process list',
    );
  db.command('move')
    .description('copy an unused database into an empty one and compare them; resumes after an interruption')
    .argument('<from>', 'unchanged, except for a row in its audit')
    .argument('<to>', 'the command creates its schema')
    .action(moveDatabase);
  db.command('verify')
    .description('compare all rows of two databases; stop writes to both first')
    .argument('<one>')
    .argument('<other>')
    .action(verifyDatabases);
}

async function moveDatabase(from: string, to: string): Promise<void> {
  const target = namedUrl(to);
  const moved = await withNewFolder(target, () => move(namedUrl(from), target, progressBar(), operatorNow()));
  listTables(moved.comparisons);
  reportUnaudited(moved.auditFailure);
  console.log('Moved: every row is the same. Start the services on the new database only');
}

async function verifyDatabases(one: string, other: string): Promise<void> {
  const comparisons = await compare(namedUrl(one), namedUrl(other), progressBar());
  listTables(comparisons);
  assertEqual(comparisons);
  console.log('Every row is the same');
}

function listTables(comparisons: readonly Comparison[]): void {
  const rows = comparisons.map(({ table, rows: rowCount, sha256, equal }) => ({
    table,
    rows: rowCount,
    sha256: sha256.slice(0, 16),
    equal,
  }));
  list(rows, {});
}
