# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Writes the credentials of one run: a CA that may sign for Apple's names alone, the certificate of the gateway, and two
keys of senders in Apple's format.

    credentials.py DIRECTORY"""
import datetime
import sys
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# The names that the clients have fixed.
NAMES = ["api.push.apple.com", "api.development.push.apple.com", "api.sandbox.push.apple.com"]
KEYS = ["ALLOWEDKEY", "FOREIGNKEY"]


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(subject, issuer, key, signer, extensions):
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
    for extension, is_critical in extensions:
        builder = builder.add_extension(extension, is_critical)
    return builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def private(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def write(directory):
    authority, server = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    (directory / "ca.pem").write_bytes(certificate("bgtask test CA", "bgtask test CA", authority, authority, [
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (x509.NameConstraints([x509.DNSName("push.apple.com")], None), True),
        (x509.KeyUsage(False, False, False, False, False, True, True, False, False), True),
        (x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), False),
    ]))
    (directory / "server.pem").write_bytes(certificate("gateway", "bgtask test CA", server, authority, [
        (x509.SubjectAlternativeName([x509.DNSName(text) for text in NAMES]), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), False),
    ]))
    (directory / "server.key").write_bytes(private(server))
    for key in KEYS:
        (directory / f"{key}.p8").write_bytes(private(ec.generate_private_key(ec.SECP256R1())))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
