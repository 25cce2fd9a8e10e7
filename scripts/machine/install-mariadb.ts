import { installPackages } from './apt-get.ts';

// Binaries only: the packages that bring a system service, its user and its data folder are mariadb-server and mariadb-client.
const PACKAGES = ['mariadb-server-core', 'mariadb-client-core'];
// The server without its service as above, and what its nodes copy their data with.
const GALERA_PACKAGES = [...PACKAGES, 'galera-4', 'rsync', 'lsof', 'procps'];

/** Installs the binaries of MariaDB; throws where the reader may not do that or it fails. */
export async function installMariaDb(): Promise<void> {
  await installPackages('No database server found', PACKAGES);
}

/** Installs what the nodes of a Galera cluster need; throws where the reader may not do that or it fails. */
export async function installGalera(): Promise<void> {
  await installPackages('Not all programs of a Galera cluster found', GALERA_PACKAGES);
}
