import { join } from 'node:path';
import type { GaleraPrograms } from './programs.ts';

/** The TCP ports of one node. */
export interface GaleraPorts {
  sql: number;
  /** Between the nodes, all the time. */
  group: number;
  /** Where a node that comes back receives the transactions it missed (IST). */
  missed: number;
  /** Where a node without usable data receives a copy of everything (SST). */
  snapshot: number;
}

/** One cluster's name and nodes, in their order. */
export interface GaleraPlan {
  cluster: string;
  ports: GaleraPorts[];
}

/**
 * A dead node is left out after about two seconds and not after six: nobody can commit until then. Shorter times would
 * leave nodes out whenever a disk is slow.
 */
const FAILURE_DETECTION = [
  'evs.suspect_timeout=PT1S',
  'evs.inactive_timeout=PT3S',
  'evs.keepalive_period=PT0.2S',
  'evs.inactive_check_period=PT0.1S',
  'evs.install_timeout=PT1S',
  'gmcast.peer_timeout=PT1S',
  // At its default of 1 s, a node that wakes up from a freeze and joins again holds everybody's commits up for 5 to 20 s at times.
  'evs.join_retrans_period=PT0.3S',
];

/** The option file of one node. A file, as the scripts that copy a snapshot read it too, and would read the machine's own otherwise. */
export function nodeOptions(plan: GaleraPlan, index: number, folder: string, programs: GaleraPrograms): string {
  const ports = plan.ports[index] as GaleraPorts;
  return [
    '[mariadbd]',
    ...(programs.user === undefined ? [] : [`user=${programs.user.name}`]),
    ...serverOptions(folder, ports.sql),
    ...durability(index + 1),
    ...clusterOptions(plan, index, ports),
    `wsrep_provider=${programs.provider}`,
    '',
  ].join('\n');
}

function serverOptions(folder: string, port: number): string[] {
  return [
    `datadir=${join(folder, 'data')}`,
    `tmpdir=${folder}`,
    `socket=${join(folder, 'server.sock')}`,
    `pid_file=${join(folder, 'server.pid')}`,
    'bind_address=127.0.0.1',
    `port=${port}`,
    'skip_name_resolve',
    'max_connections=500',
    'character_set_server=utf8mb4',
    'collation_server=utf8mb4_bin',
    'innodb_buffer_pool_size=64M',
    'performance_schema=OFF',
  ];
}

/** Visible must mean durable, as in production; Galera's advice to flush less loses commits when all nodes die. */
function durability(serverId: number): string[] {
  return [
    'innodb_flush_log_at_trx_commit=1',
    `server_id=${serverId}`,
    'log_bin=binlog',
    'sync_binlog=1',
    'log_slave_updates',
    'binlog_format=ROW',
    'innodb_autoinc_lock_mode=2',
  ];
}

function clusterOptions({ cluster, ports: all }: GaleraPlan, index: number, ports: GaleraPorts): string[] {
  const provider = [
    ...FAILURE_DETECTION,
    'base_host=127.0.0.1',
    `base_port=${ports.group}`,
    `gmcast.listen_addr=tcp://127.0.0.1:${ports.group}`,
    `ist.recv_addr=127.0.0.1:${ports.missed}`,
    'gcache.size=128M',
  ];
  return [
    'wsrep_on=ON',
    `wsrep_cluster_name=${cluster}`,
    `wsrep_cluster_address=gcomm://${all.map(({ group }) => `127.0.0.1:${group}`).join(',')}`,
    `wsrep_node_name=node${index + 1}`,
    'wsrep_node_address=127.0.0.1',
    `wsrep_node_incoming_address=127.0.0.1:${ports.sql}`,
    'wsrep_slave_threads=2',
    'wsrep_sst_method=rsync',
    `wsrep_sst_receive_address=127.0.0.1:${ports.snapshot}`,
    `wsrep_provider_options="${provider.join(';')}"`,
  ];
}
