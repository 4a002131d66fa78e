"""Open an A1 file (PKCS#12, `.pfx`): the owner, the validity and the key that signs.

What may go wrong, with the text for people in the exception:

    CertificateError
    ├── UnreadableCertificate   not PKCS#12, cut short, hostile, or without its key or certificate
    ├── WrongPassword           the file is whole but the password does not open it
    ├── UnsupportedCipher       the file uses RC2 or RC4 and this OpenSSL has no legacy provider
    └── WeakKey                 not RSA, or RSA below 2048 bits
"""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
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

from carimbo.fiscal.ber import INTEGER, OCTET_STRING, SEQUENCE, Element, parse
from carimbo.fiscal.certificate_owner import OwnerKind, owner_in, subject_name
from carimbo.fiscal.taxpayer import cnpj_base, normalize

MAX_FILE_BYTES = 1_000_000
# In total: Firefox has 600,000 for each of key, certificates and MAC (NSS 3.36.1), most have 2,000 or so.
MAX_KDF_ITERATIONS = 2_000_000
# OpenSSL checks the primes on loading: 0.2 s for 2048 bits, 1.5 s for 4096, 19 s for 8192. ICP-Brasil stops
# at 4096 (DOC-ICP-01.01), which takes 2.4 kB.
MAX_KEY_BYTES = 3_000
MIN_KEY_BITS = 2048
# Beyond these a file takes seconds. In total, Windows writes 6,000 iterations, OpenSSL 6,144, Java since 16
# 30,000 and before 200,000. The A1 keys of ICP-Brasil have 2048 bits (1.4 kB); 3072 bits take 1.9 kB.
_ORDINARY_ITERATIONS = 300_000
_ORDINARY_KEY_BYTES = 1_700

_PKCS12_VERSION = (INTEGER, b"\x03")

# 1.2.840.113549.1.12.10.1.{1,2}: keyBag and pkcs8ShroudedKeyBag (RFC 7292, 4.2).
_KEY_BAGS = {bytes.fromhex("2a864886f70d010c0a01") + bytes([bag]) for bag in (1, 2)}
# 1.2.840.113549.1.12.1.{1,2,5,6}: RC4-128, RC4-40, RC2-128 and RC2-40 with SHA-1 (RFC 7292, appendix C).
_LEGACY_CIPHERS = {bytes.fromhex("2a864886f70d010c01") + bytes([cipher]) for cipher in (1, 2, 5, 6)}

_NOT_A1 = "O arquivo não é um certificado A1 (.pfx ou .p12) ou está incompleto."
_TOO_SLOW = "O arquivo é lento demais de decifrar: exporte o certificado de novo com as opções padrão."
# `cryptography` has one exception type for all; this text is the one for a MAC or padding that fails.
_PASSWORD_REFUSED = "Invalid password or PKCS12 data"  # noqa: S105 - an error text


class CertificateError(ValueError):
    """The certificate cannot be used; the message says why, in Portuguese."""


class UnreadableCertificate(CertificateError):
    """The bytes are not a PKCS#12 file with a private key and its certificate."""


class WrongPassword(CertificateError):
    """The password does not open the file."""


class UnsupportedCipher(CertificateError):
    """The file is encrypted with a cipher that this OpenSSL does not have."""


class WeakKey(CertificateError):
    """The authorities would refuse signatures of this key."""


@dataclass(frozen=True)
class A1Certificate:
    """A certificate whose private key is at hand, ready to sign and to authenticate."""

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
        """The certificate alone, as text."""
        return _pem(self.certificate_der)

    def is_valid_at(self, instant: datetime) -> bool:
        """Tell whether an aware instant lies within the validity, both ends included."""
        return self.not_before <= instant <= self.not_after

    def belongs_to_base(self, cnpj: str) -> bool:
        """Tell whether the owner is an establishment of the same company (rejection 213)."""
        owner = self.owner if self.owner_kind is OwnerKind.CNPJ else None
        return owner is not None and cnpj_base(owner) == cnpj_base(normalize(cnpj))

    def to_bundle(self) -> bytes:
        """Serialise key, certificate and chain as PEM with no password, for storage that encrypts it."""
        key = self.private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return b"".join([key, self.certificate_pem, *map(_pem, self.chain)])

    @classmethod
    def from_bundle(cls, bundle: bytes) -> Self:
        """Load what `to_bundle` wrote, trusting the key, for it was checked when the file was opened."""
        try:
            key = load_pem_private_key(bundle, None, unsafe_skip_rsa_key_validation=True)
            leaf, *chain = x509.load_pem_x509_certificates(bundle)
            return cls._of(_strong(key), leaf, chain)
        except (ValueError, TypeError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
            raise UnreadableCertificate("O certificado guardado está danificado.") from error

    @classmethod
    def _of(cls, key: RSAPrivateKey, leaf: x509.Certificate, chain: list[x509.Certificate]) -> Self:
        der = leaf.public_bytes(Encoding.DER)
        owner, owner_kind = owner_in(leaf)
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
    """Open a PKCS#12 file and find the certificate of its private key (takes 0.2 s: the key is checked)."""
    contents = _decrypt(_checked(pfx), password)
    key = _strong(contents.key)
    found = [contents.cert, *contents.additional_certs]
    certificates = [bag.certificate for bag in found if bag is not None]
    try:
        leaf = _certificate_of(key, certificates)
        return A1Certificate._of(key, leaf, [other for other in certificates if other != leaf])
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UnreadableCertificate("O arquivo não contém um certificado válido da chave privada.") from error


def is_expensive(pfx: bytes) -> bool:
    """Tells whether a file asks for more work than real A1 files do; one that is no PKCS#12 costs nothing."""
    try:
        elements = list(_pkcs12(pfx).walk())
    except UnreadableCertificate:
        return False
    return _iterations(elements) > _ORDINARY_ITERATIONS or _key_bytes(elements) > _ORDINARY_KEY_BYTES


def owner_of(certificate_der: bytes) -> tuple[str | None, OwnerKind]:
    """Read whom a certificate was issued to when its private key is in other hands."""
    try:
        return owner_in(x509.load_der_x509_certificate(certificate_der))
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
    """List the bytes a password may have had when the file was made."""
    try:
        text = password.encode()
    except UnicodeEncodeError:
        return []
    # `cryptography` panics on a NUL, and prints the password as it does.
    if b"\0" in text:
        return []
    # OpenSSL before 1.1.0 took each byte of UTF-8 for one character.
    return list(dict.fromkeys([text, text.decode("latin-1").encode()]))


def _strong(key: object) -> RSAPrivateKey:
    if key is None:
        raise UnreadableCertificate("O arquivo não contém a chave privada.")
    if not isinstance(key, RSAPrivateKey):
        raise WeakKey("A chave do certificado não é RSA.")
    if key.key_size < MIN_KEY_BITS:
        raise WeakKey(f"A chave do certificado tem {key.key_size} bits; o mínimo é {MIN_KEY_BITS}.")
    return key


def _certificate_of(key: RSAPrivateKey, certificates: list[x509.Certificate]) -> x509.Certificate:
    """Find the certificate of the key; of a renewed one, the latest."""
    # Bytes are compared because the chain may hold a key of a kind that `cryptography` cannot parse.
    public_key = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    matching = [candidate for candidate in certificates if public_key in candidate.tbs_certificate_bytes]
    return max(matching, key=lambda candidate: candidate.not_valid_after_utc)


def _pem(der: bytes) -> bytes:
    return x509.load_der_x509_certificate(der).public_bytes(Encoding.PEM)


def _checked(pfx: bytes) -> bytes:
    """Return the file as DER if it has the shape of PKCS#12 and will not keep OpenSSL busy for minutes."""
    file = _pkcs12(pfx)
    elements = list(file.walk())
    if _iterations(elements) > MAX_KDF_ITERATIONS or _key_bytes(elements) > MAX_KEY_BYTES:
        raise UnreadableCertificate(_TOO_SLOW)
    if any(element.begins_with(_LEGACY_CIPHERS) for element in elements) and not _has_legacy_ciphers():
        raise UnsupportedCipher("O arquivo usa uma cifra antiga (RC2 ou RC4): exporte-o de novo com AES.")
    return file.to_der()


def _pkcs12(pfx: bytes) -> Element:
    try:
        file = parse(pfx if len(pfx) <= MAX_FILE_BYTES else b"")
    except ValueError as error:
        raise UnreadableCertificate(_NOT_A1) from error
    if file.tag != SEQUENCE or not file.children or file.children[0][:2] != _PKCS12_VERSION:
        raise UnreadableCertificate(_NOT_A1)
    return file


def _iterations(elements: list[Element]) -> int:
    """Add up the iteration counts, each of which follows its salt (PBEParameter, PBKDF2-params, MacData)."""
    pairs = (pair for element in elements for pair in pairwise(element.children))
    counts = (count for salt, count in pairs if (salt.tag, count.tag) == (OCTET_STRING, INTEGER))
    return sum(int.from_bytes(count.content) for count in counts)


def _key_bytes(elements: list[Element]) -> int:
    bags = (element for element in elements if element.begins_with(_KEY_BAGS))
    return max((len(bag.content) for bag in bags), default=0)


def _has_legacy_ciphers() -> bool:
    """Tell whether OpenSSL's legacy provider is there: wheels bring it, some distributions do not."""
    try:
        Cipher(RC2(bytes(16)), CBC(bytes(8))).encryptor()
    except UnsupportedAlgorithm:
        return False
    return True
