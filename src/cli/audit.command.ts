import { type Command, InvalidArgumentError, Option } from 'commander';
import { getIdOfAsset } from '../feed/asset-identifiers.js';
import { type AuditQuery, AuditReader } from '../database/readers/audit-reader.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../database/entities/audit-entry.entity.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { instantOf } from './instants.js';
import { JSON_OPTION, list, type ListingOptions } from './table-output.js';
import { withRegistry } from './with-registry.js';

interface Options extends ListingOptions {
  asset?: string;
  subject?: string;
  actor?: string;
  action?: AuditAction;
  from?: string;
  to?: string;
  limit: number;
}

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('who has done what and when, newest first')
    .option('--asset <asset>', 'of one asset: its id or assetID')
    .addOption(
      new Option('--subject <name>', 'of one key (its id from "key list") or account (its name)').conflicts('asset'),
    )
    .option('--actor <name>', 'by one account, or by "operator:<user>" who ran a command')
    .addOption(new Option('--action <action>', 'of one kind of action').choices(AUDIT_ACTIONS))
    .option('--from <date>', 'at or after (ISO 8601)')
    .option('--to <date>', 'before (ISO 8601)')
    .option('--limit <number>', 'maximum number of entries', parseLimit, 100)
    .option(...JSON_OPTION)
    .action(showAudit);
}

/** Reports a missing audit row in the source database. @param why undefined if the row was written */
export function reportUnaudited(why: string | undefined): void {
  if (why !== undefined) console.log(`This command could not be added to the audit of the source database: ${why}`);
}

function parseLimit(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a number from 1 on.');
  return Number(text);
}

async function showAudit(options: Options): Promise<void> {
  await withRegistry(async (registry) => {
    const audit = registry.get(AuditReader);
    const time = registry.get(RegistryTime);
    const entries = await audit.list(await queryOf(options, audit, time));
    list(
      entries.map((entry) => rowOf(entry, time)),
      options,
    );
  });
}

async function queryOf(options: Options, audit: AuditReader, time: RegistryTime): Promise<AuditQuery> {
  const { asset, subject, actor, action, limit } = options;
  return {
    subject: asset === undefined ? subject : await getIdOfAsset(asset, audit),
    actor,
    action,
    fromUs: instantOf('--from', options.from, time),
    toUs: instantOf('--to', options.to, time),
    limit,
  };
}

function rowOf({ us, actor, action, subject, requestId, detail }: AuditEntry, time: RegistryTime) {
  return { time: time.print(us), actor, action, subject, request: requestId, detail: JSON.parse(detail) as unknown };
}
