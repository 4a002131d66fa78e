"""A1 certificates (PKCS#12 files, `.pfx`): opening them, their owner, and whether they fit a company.

The exceptions have a Portuguese message for the user:

    CertificateError
    ├── UnreadableCertificate   not PKCS#12, cut short, hostile, or without its key or certificate
    ├── WrongPassword           the file is complete, but the password does not open it
    ├── UnsupportedCipher       the file uses RC2 or RC4 and this OpenSSL has no legacy provider
    └── WeakKey                 not RSA, or RSA below 2048 bits
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Self

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.decrepit.ciphers.algorithms import RC2
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.ber import CONSTRUCTED, INTEGER, OCTET_STRING, SEQUENCE, BerElement, parse
from carimbo.fiscal.identity.tax_ids import cnpj_base, is_cnpj, is_cpf, normalize
from carimbo.fiscal.problems import Problem

# 2.16.76.1.3.3: CNPJ of the company. 2.16.76.1.3.1: birth date (8), CPF (11) and more, only in an e-CPF; the
# person responsible for a company is in 2.16.76.1.3.4 and is not the owner (DOC-ICP-04, 7.1.2.3).
_COMPANY_CNPJ = bytes.fromhex("604c010303")
_PERSON_DATA = bytes.fromhex("604c010301")
_CNPJ_PLACE = slice(0, 14)
_CPF_PLACE = slice(8, 19)

MAX_FILE_BYTES = 1_000_000
# In total: Firefox uses 600,000 for each of key, certificates and MAC (NSS 3.36.1), most others about 2,000.
MAX_KDF_ITERATIONS = 2_000_000
# OpenSSL checks the primes on loading: 0.2 s for 2048 bits, 1.5 s for 4096, 19 s for 8192. ICP-Brasil stops
# at 4096 (DOC-ICP-01.01), which takes 2.4 kB.
MAX_KEY_BYTES = 3_000
MIN_KEY_BITS = 2048
# A file beyond these limits takes seconds. In total, Windows writes 6,000 iterations, OpenSSL 6,144, Java
# 30,000 since version 16, and 200,000 before. The A1 keys of ICP-Brasil have 2048 bits (1.4 kB); 3072 bits
# take 1.9 kB.
_ORDINARY_ITERATIONS = 300_000
_ORDINARY_KEY_BYTES = 1_700
_PKCS12_VERSION = (INTEGER, b"\x03")
# 1.2.840.113549.1.12.10.1.{1,2}: keyBag and pkcs8ShroudedKeyBag (RFC 7292, 4.2).
_KEY_BAGS = {bytes.fromhex("2a864886f70d010c0a01") + bytes([bag]) for bag in (1, 2)}
# 1.2.840.113549.1.12.1.{1,2,5,6}: RC4-128, RC4-40, RC2-128 and RC2-40 with SHA-1 (RFC 7292, appendix C).
_LEGACY_CIPHERS = {bytes.fromhex("2a864886f70d010c01") + bytes([cipher]) for cipher in (1, 2, 5, 6)}
_NOT_A1 = "O arquivo não é um certificado A1 (.pfx ou .p12) ou está incompleto."
_TOO_SLOW = "O arquivo é lento demais de decifrar: exporte o certificado de novo com as opções padrão."
# `cryptography` raises one exception type for all errors; this is the text for a wrong MAC or padding.
_PASSWORD_REFUSED = "Invalid password or PKCS12 data"  # noqa: S105 - an error text
_PATH = "company.certificate"


class OwnerKind(StrEnum):
    """The kind of tax id that a certificate was issued to."""

    CNPJ = "cnpj"
    CPF = "cpf"
    UNKNOWN = "unknown"


def read_owner(certificate: x509.Certificate) -> tuple[str | None, OwnerKind]:
    """Returns the CNPJ or CPF of the owner, wherever the certificate authority wrote it."""
    for text in map(normalize, _owner_candidates(certificate)):
        if is_cnpj(text):
            return text, OwnerKind.CNPJ
        if is_cpf(text):
            return text, OwnerKind.CPF
    return None, OwnerKind.UNKNOWN


def _owner_candidates(certificate: x509.Certificate) -> Iterator[str]:
    """Yields the texts that may be the owner, the most reliable one first."""
    root = parse(certificate.public_bytes(Encoding.DER))
    yield _value_of(_COMPANY_CNPJ, root)[_CNPJ_PLACE]
    yield _value_of(_PERSON_DATA, root)[_CPF_PLACE]
    yield _subject(certificate, NameOID.COMMON_NAME).rpartition(":")[2]
    yield _subject(certificate, NameOID.SERIAL_NUMBER)


def _value_of(object_id: bytes, root: BerElement) -> str:
    """Returns the text that follows an object id, whatever its string type and the tags around it."""
    value = next((element.children[1] for element in root.walk() if element.begins_with({object_id})), None)
    while value and value.tag & CONSTRUCTED and value.children:
        value = value.children[0]
    return value.content.decode("latin-1").strip("\0 ") if value else ""


def subject_name(certificate: x509.Certificate) -> str:
    """Returns the owner's name, without the CNPJ or CPF that follows it."""
    common_name = _subject(certificate, NameOID.COMMON_NAME)
    name, _, suffix = common_name.rpartition(":")
    tax_id = normalize(suffix)
    return name if is_cnpj(tax_id) or is_cpf(tax_id) else common_name


def _subject(certificate: x509.Certificate, oid: x509.ObjectIdentifier) -> str:
    values = [attribute.value for attribute in certificate.subject.get_attributes_for_oid(oid)]
    return next((value for value in values if isinstance(value, str)), "")


class CertificateError(ValueError):
    """The certificate can't be used; the message says why, in Portuguese."""


class UnreadableCertificate(CertificateError):
    """The bytes are not a PKCS#12 file with a private key and its certificate."""


class WrongPassword(CertificateError):
    """The password does not open the file."""


class UnsupportedCipher(CertificateError):
    """The file is encrypted with a cipher that this OpenSSL lacks."""


class WeakKey(CertificateError):
    """The authorities would refuse signatures with this key."""


@dataclass(frozen=True)
class A1Certificate:
    """A certificate with its private key, for signing and for TLS authentication."""

    owner: str | None
    owner_kind: OwnerKind
    subject_name: str
    not_before: datetime
    not_after: datetime
    serial_number: int
    fingerprint: str
    certificate_der: bytes = field(repr=False)
    chain: tuple[bytes, ...] = field(repr=False)
    private_key: RSAPrivateKey = field(repr=False, compare=False)

    @property
    def certificate_pem(self) -> bytes:
        """The certificate alone, as PEM."""
        return _pem(self.certificate_der)

    def is_valid_at(self, instant: datetime) -> bool:
        """Returns whether an aware instant is within the validity, both ends included."""
        return self.not_before <= instant <= self.not_after

    def belongs_to_base(self, cnpj: str) -> bool:
        """Returns whether the owner is an establishment of the same company (rejection 213)."""
        owner = self.owner if self.owner_kind is OwnerKind.CNPJ else None
        return owner is not None and cnpj_base(owner) == cnpj_base(normalize(cnpj))

    def to_bundle(self) -> bytes:
        """Returns key, certificate and chain as PEM without a password; the storage encrypts it."""
        key = self.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return b"".join([key, self.certificate_pem, *map(_pem, self.chain)])

    @classmethod
    def from_bundle(cls, bundle: bytes) -> Self:
        """Loads the result of `to_bundle`. The key is not validated again: opening the file did that."""
        try:
            key = load_pem_private_key(bundle, None, unsafe_skip_rsa_key_validation=True)
            leaf, *chain = x509.load_pem_x509_certificates(bundle)
            return cls._of(_strong(key), leaf, chain)
        except (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
            raise UnreadableCertificate("O certificado guardado está danificado.") from error

    @classmethod
    def _of(cls, key: RSAPrivateKey, leaf: x509.Certificate, chain: list[x509.Certificate]) -> Self:
        der = leaf.public_bytes(Encoding.DER)
        owner, owner_kind = read_owner(leaf)
        return cls(
            owner=owner,
            owner_kind=owner_kind,
            subject_name=subject_name(leaf),
            not_before=leaf.not_valid_before_utc,
            not_after=leaf.not_valid_after_utc,
            serial_number=leaf.serial_number,
            fingerprint=hashlib.sha256(der).hexdigest(),
            certificate_der=der,
            chain=tuple(other.public_bytes(Encoding.DER) for other in chain),
            private_key=key,
        )


def open_a1(pfx: bytes, password: str) -> A1Certificate:
    """Opens a PKCS#12 file and finds the certificate of its private key.

    Takes 0.2 s, because OpenSSL validates the key. Raises `CertificateError`.
    """
    contents = _decrypt(_checked(pfx), password)
    key = _strong(contents.key)
    bags = [contents.cert, *contents.additional_certs]
    certificates = [bag.certificate for bag in bags if bag is not None]
    try:
        # Compares bytes, because the chain may have a key of a type that `cryptography` can't parse.
        public_key = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        matching = [candidate for candidate in certificates if public_key in candidate.tbs_certificate_bytes]
        # If the certificate was renewed with the same key, the latest one counts.
        leaf = max(matching, key=lambda candidate: candidate.not_valid_after_utc)
        return A1Certificate._of(key, leaf, [other for other in certificates if other != leaf])
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnreadableCertificate("O arquivo não contém um certificado válido da chave privada.") from error


def is_expensive(pfx: bytes) -> bool:
    """Returns whether a file takes more work to open than real A1 files do; False if it is no PKCS#12."""
    try:
        elements = list(_pkcs12(pfx).walk())
    except UnreadableCertificate:
        return False
    return _iterations(elements) > _ORDINARY_ITERATIONS or _key_bytes(elements) > _ORDINARY_KEY_BYTES


def owner_of(certificate_der: bytes) -> tuple[str | None, OwnerKind]:
    """Returns the owner of a certificate without its private key; raises `UnreadableCertificate`."""
    try:
        return read_owner(x509.load_der_x509_certificate(certificate_der))
    except (ValueError, x509.InvalidVersion) as error:
        raise UnreadableCertificate("O certificado não pode ser lido.") from error


def _decrypt(der: bytes, password: str) -> pkcs12.PKCS12KeyAndCertificates:
    for form in _password_forms(password):
        try:
            return pkcs12.load_pkcs12(der, form)
        except (ValueError, x509.InvalidVersion) as error:
            if str(error) != _PASSWORD_REFUSED:
                raise UnreadableCertificate(
                    "O arquivo do certificado está corrompido: exporte-o ou baixe-o de novo."
                ) from error
        except (TypeError, UnsupportedAlgorithm) as error:
            raise WeakKey("A chave do certificado não é RSA.") from error
    raise WrongPassword("A senha do certificado está incorreta.")


def _password_forms(password: str) -> list[bytes]:
    """Returns the encodings that the password may have had when the file was created."""
    try:
        text = password.encode()
    except UnicodeEncodeError:
        return []
    # `cryptography` panics on a NUL, and prints the password as it does.
    if b"\0" in text:
        return []
    # OpenSSL before 1.1.0 read each byte of UTF-8 as a character.
    return list(dict.fromkeys([text, text.decode("latin-1").encode()]))


def _strong(key: object) -> RSAPrivateKey:
    if key is None:
        raise UnreadableCertificate("O arquivo não contém a chave privada.")
    if not isinstance(key, RSAPrivateKey):
        raise WeakKey("A chave do certificado não é RSA.")
    if key.key_size < MIN_KEY_BITS:
        raise WeakKey(f"A chave do certificado tem {key.key_size} bits; o mínimo é {MIN_KEY_BITS}.")
    return key


def _pem(der: bytes) -> bytes:
    return x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM)


def _checked(pfx: bytes) -> bytes:
    """Returns the file as DER; refuses a file that is no PKCS#12 or would keep OpenSSL busy for minutes."""
    file = _pkcs12(pfx)
    elements = list(file.walk())
    if _iterations(elements) > MAX_KDF_ITERATIONS or _key_bytes(elements) > MAX_KEY_BYTES:
        raise UnreadableCertificate(_TOO_SLOW)
    if any(element.begins_with(_LEGACY_CIPHERS) for element in elements) and not _has_legacy_ciphers():
        raise UnsupportedCipher("O arquivo usa uma cifra antiga (RC2 ou RC4): exporte-o de novo com AES.")
    return file.to_der()


def _pkcs12(pfx: bytes) -> BerElement:
    try:
        file = parse(pfx if len(pfx) <= MAX_FILE_BYTES else b"")
    except ValueError as error:
        raise UnreadableCertificate(_NOT_A1) from error
    if file.tag != SEQUENCE or not file.children or file.children[0][:2] != _PKCS12_VERSION:
        raise UnreadableCertificate(_NOT_A1)
    return file


def _iterations(elements: list[BerElement]) -> int:
    """Returns the sum of all iteration counts; each follows a salt (PBEParameter, PBKDF2-params, MacData)."""
    pairs = (pair for element in elements for pair in pairwise(element.children))
    counts = (count for salt, count in pairs if (salt.tag, count.tag) == (OCTET_STRING, INTEGER))
    return sum(int.from_bytes(count.content) for count in counts)


def _key_bytes(elements: list[BerElement]) -> int:
    bags = (element for element in elements if element.begins_with(_KEY_BAGS))
    return max((len(bag.content) for bag in bags), default=0)


def _has_legacy_ciphers() -> bool:
    """Returns whether OpenSSL has its legacy provider: wheels include it, some distributions do not."""
    try:
        Cipher(RC2(bytes(16)), CBC(bytes(8))).encryptor()
    except UnsupportedAlgorithm:
        return False
    return True


def certificate_problems(certificate: A1Certificate, tax_id: str, moment: datetime) -> tuple[Problem, ...]:
    """Returns the reasons why a certificate can't sign a document of this company at this moment."""
    problems = []
    if not certificate.belongs_to_base(tax_id):
        message = "O certificado não é da empresa: o CNPJ base é outro."
        problems.append(
            Problem("213", _PATH, message, "Use o certificado da matriz ou de uma filial da empresa.")
        )
    if not certificate.is_valid_at(moment):
        until = f"{certificate.not_after:%d/%m/%Y}"
        problems.append(
            Problem("291", _PATH, f"O certificado não vale na data da emissão; vence em {until}.")
        )
    return tuple(problems)


@dataclass(frozen=True, slots=True)
class AuthorityCredentials:
    """The credentials with which a company calls an authority."""

    certificate: A1Certificate
    tax_id: str
    """CNPJ or CPF of the company; the authorities limit the number of its calls."""
    environment: Environment
