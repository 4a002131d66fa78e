"""Certificates and A1 files for a single test."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12
from cryptography.x509.oid import NameOID

START = datetime(2026, 11, 1, tzinfo=UTC)
END = START + timedelta(days=365)
PASSWORD = "segredo"


def self_signed(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey,
    common_name: str,
    *,
    other_names: list[x509.OtherName] | None = None,
    serial_number: str | None = None,
    end: datetime = END,
) -> x509.Certificate:
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if serial_number:
        attributes.append(x509.NameAttribute(NameOID.SERIAL_NUMBER, serial_number))
    name = x509.Name(attributes)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, START, end)
    if other_names:
        builder = builder.add_extension(x509.SubjectAlternativeName(other_names), critical=False)
    return builder.sign(key, hashes.SHA256())


def packed(
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | None,
    certificate: x509.Certificate | None,
    others: list[x509.Certificate] | None = None,
) -> bytes:
    encryption = BestAvailableEncryption(PASSWORD.encode())
    return pkcs12.serialize_key_and_certificates(None, key, certificate, others, encryption)
