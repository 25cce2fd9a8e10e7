#!/bin/sh
# A backup of the registry, with the time in its name: see docs/operations/backup.md, "Scheduled backups".
# asset-registry-backup.sh FOLDER DAYS removes its backups that are older than DAYS days.
set -eu
umask 077
folder=$(cd "${1:?FOLDER is missing}" && pwd)
days=${2:?DAYS is missing}
cd "$(dirname "$0")/../.."

node dist/cli.js backup "$folder/registry-$(date -u +%Y-%m-%dT%H%M%SZ).sqlite"

# Only after a backup that is whole: while none can be made, those that are there stay.
find "$folder" -maxdepth 1 -type f -name 'registry-*.sqlite' -mtime "+$days" -delete
# What was killed half-way leaves these behind.
find "$folder" -maxdepth 1 -type f -name 'registry-*.sqlite.partial*' -mtime +0 -delete
