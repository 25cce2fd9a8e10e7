#!/bin/sh
# Regenerates the certificates of the tests with openssl: run it in this folder. They are valid for a hundred years, except one, and the authority's
# key is deleted. Only the tests trust them.
set -eu
kept=$(pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

# The only openssl command whose dates can be set in all releases.
cat >settings <<SETTINGS
[ca]
default_ca = tests
[tests]
database = issued
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
SETTINGS

sign() { # FILE EXTENSIONS END, and by whom
  printf '%s\n' "$2" >extensions
  : >issued
  file=$1 end=$3
  shift 3
  openssl ca -batch -notext -config settings -extfile extensions -startdate 20200101000000Z -enddate "$end" \
    -in request -out "$file.pem" "$@"
}
authority() { # FILE NAME
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out request -subj "/CN=$2"
  sign "$1" 'basicConstraints=critical,CA:TRUE' 21200101000000Z -selfsign -keyfile "$1.key"
}
certificate() { # FILE NAMES END
  openssl req -new -key server-key.pem -subj /CN=database -out request
  sign "$1" "subjectAltName=$2" "$3" -cert authority.pem -keyfile authority.key
}

authority authority 'Authority of the tests'
authority another-authority 'Another authority'
openssl ecparam -name prime256v1 -genkey -noout -out server-key.pem
certificate both-names 'DNS:localhost,IP:127.0.0.1,IP:::1' 21200101000000Z
certificate name-alone 'DNS:localhost' 21200101000000Z
certificate another-host 'DNS:db.example,IP:192.0.2.1' 21200101000000Z
certificate expired 'DNS:localhost,IP:127.0.0.1,IP:::1' 20200102000000Z
cp authority.pem another-authority.pem server-key.pem both-names.pem name-alone.pem another-host.pem expired.pem "$kept"
