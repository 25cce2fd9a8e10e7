#!/usr/bin/env python3
"""Checks that a state of an asset is in the log of a registry. Needs only Python 3, and openssl 3 for the signatures.

    curl -sO https://registry.example/check-proof.py
    curl -s https://registry.example/api/0.1/assets/ID > asset.json
    curl -s https://registry.example/api/0.1/assets/ID/proof > asset.tlog-proof
    python3 check-proof.py asset.tlog-proof asset.json 'registry.example/api/0.1/log/2f1c...+880dc645+AeQD...'

The last argument is the verifier key of the log: publicKey in /api/0.1/spore, or better from another source. Each
witness given with --witness must have signed as well. Get this script itself from a source that you trust.
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
NOT_DIGESTED = (*SET_BY_REGISTRY, "date", "dateModified", "redacted")
SECRET = "[A-Za-z0-9+/]{42}[A-Za-z0-9+/=]{2}"
# Base64 of 32 bytes.
DIGEST = "[A-Za-z0-9+/]{43}="
# Kinds of verifier keys.
LOG = b"\1"
WITNESS = b"\4"
# Prefix of an Ed25519 key in DER, before its 32 bytes.
DER = bytes.fromhex("302a300506032b6570032100")


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def number(value):
    """Formats a number as JavaScript does (RFC 8785)."""
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


def base64_of(text):
    return base64.b64encode(sha256(text.encode())).decode()


def names_in(value):
    """The names of an object's members in the order of RFC 8785, or the indexes of a list; empty for other values."""
    if isinstance(value, dict):
        return sorted(value, key=lambda name: name.encode("utf-16-be"))
    return list(range(len(value))) if isinstance(value, list) else []


def text_of(value, names, digests):
    """The JSON text of an object or a list, with digests instead of its parts."""
    if isinstance(value, list):
        return "[%s]" % ",".join('"%s"' % digest for digest in digests)
    return "{%s}" % ",".join('%s:"%s"' % (canonical(name), digest) for name, digest in zip(names, digests))


def halves(secret):
    both = base64.b64encode(hashlib.sha512(secret.encode()).digest()).decode()
    return both[:44], both[44:]


def digests_of(value, names, secret):
    """The digests of parts that share a secret: each half of the parts gets one half of its hash."""
    if len(names) <= 1:
        return [digest_of(value[name], secret) for name in names]
    half = len(names) // 2
    first, second = halves(secret)
    return digests_of(value, names[:half], first) + digests_of(value, names[half:], second)


def digest_of(value, secret):
    names = names_in(value)
    if not names:
        return base64_of(secret + canonical(value))
    return base64_of(text_of(value, names, digests_of(value, names, secret)))


def fits(pattern, text):
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None


class Opened:
    """A state, some members of which may be erased, with the secrets of the others in order."""

    def __init__(self, opening):
        members = {"secret", "secrets", "erased"} & set(opening or {})
        if members not in ({"secret"}, {"secrets", "erased"}):
            sys.exit("WRONG: the proof has no valid opening of the commitment")
        self.secrets = list(opening.get("secrets", [opening.get("secret")]))
        self.erased = dict(opening.get("erased", {}))
        self.left = set(self.erased)
        self.parted = {
            pointer[:end] for pointer in self.erased for end in range(1, len(pointer) + 1) if (pointer + "/")[end] == "/"
        }

    def digests(self, value, names, pointer):
        below = [pointer + "/" + str(name).replace("~", "~0").replace("/", "~1") for name in names]
        if names and not any(one in self.parted for one in below):
            return digests_of(value, names, self.next_secret(pointer))
        if len(names) == 1:
            return [self.digest(value, names[0], below[0])]
        half = len(names) // 2
        return [digest for some in (names[:half], names[half:]) if some for digest in self.digests(value, some, pointer)]

    def digest(self, value, name, pointer):
        is_present = isinstance(value, list) or name in value
        if pointer in self.erased:
            if is_present:
                sys.exit("WRONG: %s is present, but erased" % pointer)
            self.left.discard(pointer)
            return self.erased[pointer]
        part = value[name] if is_present else None
        names = self.names(part, pointer)
        if not names:
            sys.exit("WRONG: the proof has no secret for %s" % pointer)
        return base64_of(text_of(part, names, self.digests(part, names, pointer)))

    def names(self, value, pointer):
        if not isinstance(value, dict):
            return names_in(value)
        erased = [one for one in self.erased if one.rpartition("/")[0] == pointer]
        names = [one.rpartition("/")[2].replace("~1", "/").replace("~0", "~") for one in erased]
        return names_in({**value, **dict.fromkeys(names)})

    def next_secret(self, pointer):
        if not self.secrets:
            sys.exit("WRONG: the proof has no secret for %s" % (pointer or "the asset"))
        secret = self.secrets.pop(0)
        if not fits(SECRET, secret):
            sys.exit("WRONG: a secret is not 44 characters of base64")
        return secret


def check_erased(erased, asset):
    """Each erased member must have a digest, and be listed in `redacted` with an instant after the state."""
    later = [one for one in asset.get("redacted", []) if instant(one["at"]) > instant(asset["dateModified"])]
    for pointer, digest in erased.items():
        if not fits(DIGEST, digest):
            sys.exit("WRONG: an erased member has no digest")
        if not any(pointer == one["pointer"] for one in later):
            sys.exit("WRONG: %s is missing, and the asset does not list it as erased later" % pointer)


def commitment(asset, opening):
    """docs/decisions/0061-commitments.md"""
    opened = Opened(opening)
    check_erased(opened.erased, asset)
    members = {name: value for name, value in asset.items() if name not in NOT_DIGESTED}
    names = opened.names(members, "")
    digests = opened.digests(members, names, "")
    if opened.left:
        sys.exit("WRONG: %s is listed as erased, but the asset never had it" % ", ".join(sorted(opened.left)))
    bound = "[%s]" % ",".join(canonical(asset.get(name)) for name in SET_BY_REGISTRY)
    return base64_of(bound + text_of(members, names, digests))


def root_of(entry, place, size, hashes):
    """RFC 9162, section 2.1.3.2."""
    if not 0 <= place < size:
        sys.exit("WRONG: a log of %d entries has no place %d" % (size, place))
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


def refuse_duplicates(members):
    """Refuses two members of one name: Python reads the last one, other parsers the first."""
    names = set()
    for name, _ in members:
        if name in names:
            sys.exit('WRONG: "%s" is present twice' % name)
        names.add(name)
    return dict(members)


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def check(proof, asset):
    """@returns the checkpoint, a signed note."""
    head, _, note = proof.partition("\n\n")
    first, extra, index, *hashes = head.split("\n")
    if first != "c2sp.org/tlog-proof@v1" or not extra.startswith("extra ") or not index.startswith("index "):
        sys.exit("WRONG: this is not a proof of a state")
    extra_data = json.loads(base64.b64decode(extra.split(" ")[1]))
    place = int(index.split(" ")[1])
    origin, size, root = note.split("\n")[:3]
    found = root_of(extra_data["entry"].encode(), place, int(size), [base64.b64decode(one) for one in hashes])
    if found != base64.b64decode(root):
        sys.exit("WRONG: the entry is not in the log of the checkpoint")
    entry = json.loads(extra_data["entry"])
    print("The entry is at place %d of the %s that %s had:\n  %s" % (place, size, origin, extra_data["entry"]))
    for name in ("date", "dateModified"):
        if instant(asset[name]) != instant(entry[name]):
            sys.exit("WRONG: the asset has another %s than the entry" % name)
    if asset["id"] != entry["id"] or commitment(asset, extra_data["opening"]) != entry["commitment"]:
        sys.exit("WRONG: the asset is not what the entry binds")
    print("The asset is what the entry binds.")
    return note


def is_signed(material, text, signature):
    """Verifies with openssl, because Python has no Ed25519."""
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
    """@returns the signed text, the signature of the key, and the key's 32 bytes (C2SP signed-note)"""
    text, _, signatures = note.rpartition("\n\n")
    name, key_id, encoded = key.split("+", 2)
    material = base64.b64decode(encoded)
    if material[:1] != kind or sha256(name.encode(), b"\n", material)[:4].hex() != key_id:
        sys.exit("WRONG: this is not such a verifier key: %s" % key)
    for line in signatures.strip().split("\n"):
        _, signer, encoded = line.split(" ")
        signature = base64.b64decode(encoded)
        if signer == name and signature[:4].hex() == key_id:
            return (text + "\n").encode(), signature[4:], material[1:]
    sys.exit("WRONG: the checkpoint is not signed by %s" % key)


def check_signature(note, key):
    text, signature, material = signature_of(note, key, LOG)
    if not is_signed(material, text, signature):
        sys.exit("WRONG: the signature of the checkpoint by %s is invalid" % key)
    print("The checkpoint is signed by %s." % key)


def check_cosignature(note, witness):
    """C2SP tlog-cosignature: a time of eight bytes, and a signature of the time and the text."""
    text, signature, material = signature_of(note, witness, WITNESS)
    seconds = int.from_bytes(signature[:8], "big")
    if not is_signed(material, b"cosignature/v1\ntime %d\n%s" % (seconds, text), signature[8:]):
        sys.exit("WRONG: the signature of the checkpoint by %s is invalid" % witness)
    at = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    print("The witness %s signed it at %s." % (witness, at.isoformat()))


words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
words.add_argument("proof")
words.add_argument("asset")
words.add_argument("key", help="verifier key of the log")
words.add_argument("--witness", metavar="KEY", action="append", default=[], help="repeatable")
given = words.parse_args()
try:
    with open(given.proof, encoding="utf-8") as proof_file, open(given.asset, encoding="utf-8") as asset_file:
        read = json.load(asset_file, object_pairs_hook=refuse_duplicates)
        checkpoint = check(proof_file.read(), read.get("data", read))
    check_signature(checkpoint, given.key)
    for one in given.witness:
        check_cosignature(checkpoint, one)
except RecursionError:
    sys.exit("WRONG: the asset is nested deeper than a registry allows")
except OSError as error:
    sys.exit(str(error))
except Exception as error:  # Unreadable input proves nothing.
    sys.exit("WRONG: the proof, the asset or the verifier key is malformed: %s" % error)
