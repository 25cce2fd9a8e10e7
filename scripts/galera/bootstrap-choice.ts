/** A place in the history of a cluster, as Galera writes it: `uuid:seqno`. */
export interface Position {
  uuid: string;
  /** −1 means unknown: a node writes it at start and replaces it only when it is stopped in order. */
  seqno: number;
}

/** What the data folder of one node tells after the node died. */
export interface DataFolder {
  path: string;
  /** What the tables hold, according to `mariadbd --wsrep-recover`. */
  recovered: Position | undefined;
  /** What grastate.dat holds. */
  saved: Position | undefined;
  /** Why the folder could not be read, as the end of a sentence that begins with its path. */
  fault?: string;
}

/** The folders that hold everything the cluster ever committed, or the reason not to choose any. */
export type BootstrapChoice = { candidates: DataFolder[] } | { refusal: string };

const NO_CLUSTER = '00000000-0000-0000-0000-000000000000';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Finds the position in the log of `mariadbd --wsrep-recover`; a GTID may follow it there. */
export function parseRecoveredPosition(log: string): Position | undefined {
  const found = new RegExp(`WSREP: Recovered position:\\s*(${UUID}):(-?\\d+)`, 'i').exec(log);
  return found === null ? undefined : { uuid: String(found[1]).toLowerCase(), seqno: Number(found[2]) };
}

/** Reads the text of a grastate.dat. */
export function parseSavedState(text: string): Position | undefined {
  const uuid = new RegExp(`^uuid:\\s*(${UUID})\\s*$`, 'im').exec(text)?.[1];
  const seqno = /^seqno:\s*(-?\d+)\s*$/m.exec(text)?.[1];
  if (uuid === undefined || seqno === undefined) return undefined;
  return { uuid: uuid.toLowerCase(), seqno: Number(seqno) };
}

/** The text of a grastate.dat with the permission to begin a new cluster. */
export function withSafeToBootstrap(text: string): string {
  const line = /^safe_to_bootstrap:.*$/m;
  return line.test(text) ? text.replace(line, 'safe_to_bootstrap: 1') : `${text.trimEnd()}\nsafe_to_bootstrap: 1\n`;
}

/** How far a folder is: the tables say it after a crash; after an orderly stop grastate.dat also counts what changed no table. */
export function seqnoOf({ recovered, saved }: DataFolder): number {
  return Math.max(recovered?.seqno ?? -1, saved?.seqno ?? -1);
}

/**
 * Chooses the folders with the highest seqno. Refuses unless every node of the cluster is given, readable and of one history:
 * the node that is left out may be the only one with the last commits, which the others would then throw away.
 */
export function chooseBootstrap(folders: DataFolder[], clusterSize: number): BootstrapChoice {
  const refusal = refusalOf(folders, clusterSize);
  if (refusal !== undefined) return { refusal };
  const highest = Math.max(...folders.map(seqnoOf));
  return { candidates: folders.filter((folder) => seqnoOf(folder) === highest) };
}

/** Why a folder must not begin the new cluster; undefined when it may. */
export function refusalOfNode(choice: BootstrapChoice, path: string): string | undefined {
  if ('refusal' in choice) return choice.refusal;
  if (choice.candidates.some((candidate) => candidate.path === path)) return undefined;
  const best = choice.candidates.map((candidate) => candidate.path).join(' or ');
  return `${path} is behind: a cluster that begins there loses commits. Take ${best}.`;
}

function refusalOf(folders: DataFolder[], clusterSize: number): string | undefined {
  if (new Set(folders.map((folder) => folder.path)).size < folders.length) return 'A folder is given twice.';
  if (folders.length !== clusterSize) {
    return `${folders.length} of the cluster's ${clusterSize} data folders are given: the missing one may hold the last commits.`;
  }
  const faults = folders.map(faultOf).filter((fault) => fault !== undefined);
  if (faults.length > 0) return faults.join('\n');
  const clusters = new Set(folders.map((folder) => folder.recovered?.uuid));
  if (clusters.size > 1) return `The folders are of different clusters: ${[...clusters].join(', ')}.`;
  return undefined;
}

function faultOf({ path, recovered, saved, fault }: DataFolder): string | undefined {
  if (fault !== undefined) return `${path} ${fault}`;
  if (recovered === undefined || recovered.seqno < 0 || recovered.uuid === NO_CLUSTER) {
    return `${path} has no position: mariadbd --wsrep-recover found none in its tables.`;
  }
  if (saved === undefined) return `${path} has no readable grastate.dat.`;
  // Galera wipes the uuid while it copies a snapshot into the folder, and when the node was found to differ from the others.
  if (saved.uuid === NO_CLUSTER)
    return `${path} is not complete: Galera wiped the cluster's uuid from its grastate.dat.`;
  if (saved.uuid !== recovered.uuid) return `${path} is of cluster ${saved.uuid}, its tables of ${recovered.uuid}.`;
  return undefined;
}
