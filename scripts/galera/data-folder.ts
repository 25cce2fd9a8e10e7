import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanUpAtExit } from '../machine/clean-up-at-exit.ts';
import { removeFolder } from '../machine/remove-folder.ts';
import { type DataFolder, parseRecoveredPosition, parseSavedState, withSafeToBootstrap } from './bootstrap-choice.ts';

const run = promisify(execFile);
const RECOVER_MS = 600_000;
/** The files that a running server keeps locked. */
const LOCKED = ['ibdata1', 'aria_log_control'];
const LOG_LINES_SHOWN = 5;
const LOG_BYTES = 64 * 1024 * 1024;

/** With what to read a folder. */
interface Reader {
  /** The path of mariadbd. */
  server: string;
  /** The node's own option file, needed unless the files of InnoDB and of the binary log are in its data folder. */
  optionsFile?: string | undefined;
}

/** Reads the position of a dead node; a folder that cannot be read comes back with its fault. */
export async function readDataFolder(path: string, reader: Reader): Promise<DataFolder> {
  const nothing = { path, recovered: undefined, saved: undefined };
  try {
    const folder = { ...nothing, path: realpathSync(path) };
    if (isInUse(folder.path)) return { ...folder, fault: 'is in use: a server is running on it.' };
    const saved = parseSavedState(readFileSync(grastate(folder.path), 'utf8'));
    return { ...folder, saved, recovered: parseRecoveredPosition(await recoverLog(folder.path, reader)) };
  } catch (error) {
    return { ...nothing, fault: `cannot be read: ${(error as Error).message}` };
  }
}

/** Lets Galera begin a new cluster from this folder; whoever calls it has compared all folders. */
export function markSafeToBootstrap(path: string): void {
  // Written in place, so that the file stays the server's; flushed, so that a crash does not bring the old one back.
  writeFileSync(grastate(path), withSafeToBootstrap(readFileSync(grastate(path), 'utf8')), { flush: true });
}

/** What `mariadbd --wsrep-recover` writes: the server repairs its files after a crash, tells its position and ends. */
export async function recoverLog(path: string, reader: Reader): Promise<string> {
  const { uid, gid } = statSync(path);
  const privateFolder = mkdtempSync(join(tmpdir(), 'registry-recover-'));
  const exit = cleanUpAtExit(() => removeFolder(privateFolder));
  try {
    if (process.getuid?.() === 0) chownSync(privateFolder, uid, gid);
    const options = recoverOptions(path, reader.optionsFile, privateFolder);
    const { stdout, stderr } = await run(reader.server, options, { timeout: RECOVER_MS, maxBuffer: LOG_BYTES });
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr || message).trimEnd().split('\n').slice(-LOG_LINES_SHOWN);
    throw new Error(`mariadbd --wsrep-recover failed on it:\n${lines.join('\n')}`);
  } finally {
    removeFolder(privateFolder);
    exit.revoke();
  }
}

function recoverOptions(path: string, optionsFile: string | undefined, privateFolder: string): string[] {
  const given = optionsFile === undefined ? ['--no-defaults'] : [`--defaults-file=${optionsFile}`];
  return [
    ...given,
    `--datadir=${path}`,
    ...userOption(path),
    ...(optionsFile === undefined ? binaryLogOption(path) : []),
    // Unless it believes to be a node it repairs its files as any other server would, and tells nothing. It loads no library.
    '--wsrep-on=ON',
    '--wsrep-provider=/unused',
    '--wsrep-cluster-address=gcomm://',
    '--binlog-format=ROW',
    '--wsrep-recover',
    '--disable-log-error',
    // It opens its doors before it tells the position: nobody may come in, and no other server's socket be taken.
    '--skip-networking',
    `--socket=${join(privateFolder, 'sock')}`,
    `--pid-file=${join(privateFolder, 'pid')}`,
  ];
}

/** Whether a server works on the folder: it locks its files once it has opened them, and stands in the folder from its start. */
function isInUse(path: string): boolean {
  return holdsLocks(path) || isWorkingFolder(path);
}

function holdsLocks(path: string): boolean {
  const files = LOCKED.map((name) => join(path, name)).filter((file) => existsSync(file));
  const inodes = new Set(files.map((file) => String(statSync(file).ino)));
  if (!existsSync('/proc/locks')) return false;
  // 1: POSIX  ADVISORY  WRITE 4321 08:01:131082 0 EOF
  const locked = readFileSync('/proc/locks', 'utf8').matchAll(/ [0-9a-f]+:[0-9a-f]+:(\d+) /g);
  return [...locked].some(([, inode]) => inodes.has(String(inode)));
}

function isWorkingFolder(path: string): boolean {
  if (!existsSync('/proc')) return false;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.some((pid) => isServerIn(`/proc/${pid}`, path));
}

function isServerIn(process: string, path: string): boolean {
  try {
    return readlinkSync(`${process}/cwd`) === path && /mariadbd|mysqld/.test(readFileSync(`${process}/comm`, 'utf8'));
  } catch {
    // It ended meanwhile, or is another user's, who cannot write this folder.
    return false;
  }
}

/** The server runs as the owner of the folder, so that it leaves no file there that the node could not open later. */
function userOption(path: string): string[] {
  const { uid } = statSync(path);
  const own = process.getuid?.();
  if (own === uid && own !== 0) return [];
  if (own !== 0) throw new Error(`it belongs to the user ${uid}; run this as that user or as root.`);
  return [`--user=${uid === 0 ? 'root' : uid}`];
}

/** A commit that was only prepared when the node died is finished by its binary log; without the log it would be rolled back. */
function binaryLogOption(path: string): string[] {
  const indexes = readdirSync(path).filter((name) => name.endsWith('.index') && !name.endsWith('relay-bin.index'));
  const [index] = indexes;
  if (index === undefined || indexes.length > 1) {
    throw new Error(
      `its binary log is not to be seen: give --defaults-file, which says where it is or that there is none.`,
    );
  }
  return [`--log-bin=${basename(index, '.index')}`];
}

function grastate(path: string): string {
  return join(path, 'grastate.dat');
}
