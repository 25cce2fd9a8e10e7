import type { Command } from 'commander';
import { operatorNow } from '../auth/operator.js';
import { namedUrl } from '../platform/config/named-url.js';
import { assertEqual, type Comparison } from '../database/copy/digest.js';
import { compare, move } from '../database/copy/move.js';
import { showUnaudited } from './audit.command.js';
import { list } from './table-output.js';
import { progressBar } from './progress-bar.js';
import { withNewFolder } from './with-registry.js';

export function addDbCommands(program: Command): void {
  const db = program
    .command('db')
    .description(
      'whole databases; each is named as DATABASE_URL would name it, or by env:NAME or file:PATH, where that URL stands: a password is then not ' +
        'in the list of processes',
    );
  db.command('move')
    .description(
      'copy a database that nobody uses into an empty one, and compare them; goes on where it was broken off',
    )
    .argument('<from>', 'stays as it is, but for a row in its audit')
    .argument('<to>', 'is migrated by the command')
    .action(moveDatabase);
  db.command('verify')
    .description('compare all rows of two databases that nobody writes to')
    .argument('<one>')
    .argument('<other>')
    .action(verifyDatabases);
}

async function moveDatabase(from: string, to: string): Promise<void> {
  const target = namedUrl(to);
  const moved = await withNewFolder(target, () => move(namedUrl(from), target, progressBar(), operatorNow()));
  show(moved.comparisons);
  showUnaudited(moved.auditFailure);
  console.log('Moved: every row is the same. Start the services on the new database, and none on the old one');
}

async function verifyDatabases(one: string, other: string): Promise<void> {
  const comparisons = await compare(namedUrl(one), namedUrl(other), progressBar());
  show(comparisons);
  assertEqual(comparisons);
  console.log('Every row is the same');
}

function show(comparisons: readonly Comparison[]): void {
  const listed = comparisons.map(({ table, rows: count, sha256, equal }) => ({
    table,
    rows: count,
    sha256: sha256.slice(0, 16),
    equal,
  }));
  list(listed, {});
}
