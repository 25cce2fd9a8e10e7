#!/usr/bin/env python3
"""Checks that a state of an asset is in the log of a registry. Python 3, and openssl 3 for the signatures; nothing else.

    curl -sO https://registry.example/check-proof.py
    curl -s https://registry.example/api/0.1/assets/ID > asset.json
    curl -s https://registry.example/api/0.1/assets/ID/proof > asset.tlog-proof
    python3 check-proof.py asset.tlog-proof asset.json 'registry.example/api/0.1/log/2f1c...+880dc645+AeQD...'

The last one is the verifier key of the log: publicKey in /api/0.1/spore, or better from elsewhere. Each witness that is
given with --witness has to have signed as well. Have this script itself from somebody whom you trust.
"""
import argparse
import base64
import datetime
import decimal
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

SET_BY_REGISTRY = ("id", "assetID", "assetType", "status", "owner", "relatedLot")
NO_LEAVES = (*SET_BY_REGISTRY, "date", "dateModified", "redacted")
SALT_BYTES = 18
# Base64 of so many bytes, and of 32.
SALT = "[A-Za-z0-9+/]{24}"
BYTES_32 = "[A-Za-z0-9+/]{43}="
# Kinds of verifier keys.
LOG = b"\1"
WITNESS = b"\4"
# What stands before the 32 bytes of an Ed25519 key in DER.
DER = bytes.fromhex("302a300506032b6570032100")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def number(value):
    """As JavaScript writes it (RFC 8785)."""
    if value == 0:
        return "0"
    _, digits, exponent = decimal.Decimal(repr(abs(float(value)))).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + exponent
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        text = text[0] + ("." + text[1:] if len(text) > 1 else "") + "e%+d" % (point - 1)
    return ("-" if value < 0 else "") + text


def canonical(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def leaves(value, pointer):
    """The parts of a JSON value that have no parts, with their pointers (RFC 6901)."""
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from leaves(member, pointer + "/" + name.replace("~", "~0").replace("/", "~1"))
    elif isinstance(value, list) and value:
        for i, member in enumerate(value):
            yield from leaves(member, "%s/%d" % (pointer, i))
    else:
        yield pointer, value


def salts_of(secret, pointers):
    stream = hashlib.shake_256(secret).digest(SALT_BYTES * len(pointers))
    salts = [stream[at : at + SALT_BYTES] for at in range(0, len(stream), SALT_BYTES)]
    return {pointer: base64.b64encode(salt).decode() for pointer, salt in zip(pointers, salts)}


def base64_of(text):
    return base64.b64encode(sha256(text.encode())).decode()


def in_order(pointer):
    """As JavaScript sorts texts (RFC 8785)."""
    return pointer.encode("utf-16-be")


def fits(pattern, text):
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None


def salts_and_erased(opening, pointers):
    """@returns both by their pointers"""
    names = {"secret", "salts", "erased"} & set(opening or {})
    if names == {"salts", "erased"}:
        return opening["salts"], opening["erased"]
    if names != {"secret"}:
        sys.exit("WRONG: there is nothing that opens the commitment")
    if not fits(BYTES_32, opening["secret"]):
        sys.exit("WRONG: the secret has not 32 bytes")
    return salts_of(base64.b64decode(opening["secret"]), pointers), {}


def is_within(pointer, other):
    return pointer == other or pointer.startswith(other + "/")


def check_erased(erased, asset):
    """Each digest is one, of what the asset says was erased after it was so."""
    later = [one for one in asset.get("redacted", []) if instant(one["at"]) > instant(asset["dateModified"])]
    for gone, digest in erased.items():
        if not fits(BYTES_32, digest):
            sys.exit("WRONG: what is erased has no digest")
        if not any(is_within(gone, one["pointer"]) for one in later):
            sys.exit("WRONG: %s is gone, and the asset does not say that it was erased later" % gone)


def commitment(asset, opening):
    """docs/decisions/0061-what-a-commitment-is-made-of.md"""
    found = dict(leaves({name: value for name, value in asset.items() if name not in NO_LEAVES}, ""))
    found.pop("", None)
    salts, erased = salts_and_erased(opening, sorted(found, key=in_order))
    check_erased(erased, asset)
    digests = dict(erased)
    for pointer, value in found.items():
        if any(is_within(pointer, gone) for gone in erased):
            sys.exit("WRONG: %s is there, and erased" % pointer)
        was_more = any(is_within(gone, pointer) for gone in erased)
        if not was_more and fits(SALT, salts.get(pointer)):
            digests[pointer] = base64_of(salts[pointer] + canonical(pointer) + canonical(value))
        elif not was_more or value not in ({}, []):
            sys.exit("WRONG: the proof says nothing of %s" % pointer)
    bound = "[%s]" % ",".join(canonical(asset.get(name)) for name in SET_BY_REGISTRY)
    return base64_of(bound + "".join(digests[pointer] for pointer in sorted(digests, key=in_order)))


def root_of(entry, place, size, hashes):
    """RFC 9162, section 2.1.3.2."""
    if not 0 <= place < size:
        sys.exit("WRONG: there is no place %d in a log of %d entries" % (place, size))
    at, last, found = place, size - 1, sha256(b"\0", entry)
    for one in hashes:
        if last == 0:
            sys.exit("WRONG: the proof is too long")
        if at % 2 or at == last:
            found = sha256(b"\1", one, found)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            found = sha256(b"\1", found, one)
        at, last = at // 2, last // 2
    return found if last == 0 else b""


def without_twins(members):
    """Python keeps the last member of a name, and another reader may keep the first."""
    names = set()
    for name, _ in members:
        if name in names:
            sys.exit('WRONG: "%s" is there twice' % name)
        names.add(name)
    return dict(members)


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def check(proof, asset):
    """@returns the checkpoint, a signed note."""
    head, _, note = proof.partition("\n\n")
    first, extra, index, *hashes = head.split("\n")
    if first != "c2sp.org/tlog-proof@v1" or not extra.startswith("extra ") or not index.startswith("index "):
        sys.exit("WRONG: this is no proof of a state")
    told = json.loads(base64.b64decode(extra.split(" ")[1]))
    place = int(index.split(" ")[1])
    origin, size, root = note.split("\n")[:3]
    found = root_of(told["entry"].encode(), place, int(size), [base64.b64decode(one) for one in hashes])
    if found != base64.b64decode(root):
        sys.exit("WRONG: the entry is not in the log of the checkpoint")
    entry = json.loads(told["entry"])
    print("The entry is at place %d of the %s that %s had:\n  %s" % (place, size, origin, told["entry"]))
    for name in ("date", "dateModified"):
        if instant(asset[name]) != instant(entry[name]):
            sys.exit("WRONG: the asset has another %s than the entry" % name)
    if asset["id"] != entry["id"] or commitment(asset, told["opening"]) != entry["commitment"]:
        sys.exit("WRONG: the asset is not what the entry binds")
    print("The asset is what the entry binds.")
    return note


def is_signed(material, text, signature):
    """Asks openssl: Python alone has no Ed25519."""
    command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile signature"
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("key", DER + material), ("text", text), ("signature", signature)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        done = subprocess.run(command.split(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0 and b"Verification Failure" not in done.stdout:
        sys.exit("openssl 3 is needed to check signatures: %s" % done.stdout.decode(errors="replace"))
    return done.returncode == 0


def signature_of(note, key, kind):
    """@returns what was signed, what the key has signed of it, and the key's 32 bytes; C2SP signed-note"""
    text, _, signatures = note.rpartition("\n\n")
    name, key_id, encoded = key.split("+", 2)
    material = base64.b64decode(encoded)
    if material[:1] != kind or sha256(name.encode(), b"\n", material)[:4].hex() != key_id:
        sys.exit("WRONG: this is no such verifier key: %s" % key)
    for line in signatures.strip().split("\n"):
        _, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded)
        if signer == name and signature[:4].hex() == key_id:
            return (text + "\n").encode(), signature[4:], material[1:]
    sys.exit("WRONG: the checkpoint is not signed by %s" % key)


def check_signature(note, key):
    text, signature, material = signature_of(note, key, LOG)
    if not is_signed(material, text, signature):
        sys.exit("WRONG: the signature of the checkpoint is not that of %s" % key)
    print("The checkpoint is signed by %s." % key)


def check_cosignature(note, witness):
    """C2SP tlog-cosignature: a time in eight bytes, and a signature of that and the text."""
    text, signature, material = signature_of(note, witness, WITNESS)
    seconds = int.from_bytes(signature[:8], "big")
    if not is_signed(material, b"cosignature/v1\ntime %d\n%s" % (seconds, text), signature[8:]):
        sys.exit("WRONG: the signature of the checkpoint is not that of %s" % witness)
    at = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    print("At %s it was signed by the witness %s." % (at.isoformat(), witness))


words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("proof")
words.add_argument("asset")
words.add_argument("key", help="verifier key of the log")
words.add_argument("--witness", metavar="KEY", action="append", default=[], help="may be given several times")
given = words.parse_args()
try:
    with open(given.proof, encoding="utf-8") as proof_file, open(given.asset, encoding="utf-8") as asset_file:
        read = json.load(asset_file, object_pairs_hook=without_twins)
        checkpoint = check(proof_file.read(), read.get("data", read))
    check_signature(checkpoint, given.key)
    for one in given.witness:
        check_cosignature(checkpoint, one)
except RecursionError:
    sys.exit("WRONG: the asset is nested deeper than any of a registry")
except OSError as error:
    sys.exit(str(error))
except Exception as error:  # What cannot be read proves nothing.
    sys.exit("WRONG: this is no proof of a state, no asset or no verifier key: %s" % error)
