"""Which certificates an authority believes: ICP-Brasil's, which here is the simulator's own authority."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import lru_cache

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.x509.oid import NameOID

_COMPANY_CNPJ = x509.ObjectIdentifier("2.16.76.1.3.3")
_PERSON_DATA = x509.ObjectIdentifier("2.16.76.1.3.1")
_CNPJ_LENGTH = 14
_CPF_PLACE = slice(8, 19)
_ICP_BRASIL = "ICP-Brasil"
_UNREADABLE = (x509.DuplicateExtension, x509.InvalidVersion, x509.UnsupportedGeneralNameType)


class Flaw(IntEnum):
    """What is wrong with a certificate: the last digit of 280 to 286 (who sends), 290 to 296 (who signs)."""

    INVALID = 0
    OUT_OF_DATE = 1
    WITHOUT_TAX_ID = 2
    BROKEN_CHAIN = 3
    REVOKED = 4
    NOT_ICP_BRASIL = 5
    NO_REVOCATION_LIST = 6


@dataclass(frozen=True, slots=True)
class Trust:
    """The authorities of ICP-Brasil that are known, and the certificates that they took back."""

    authorities: Sequence[x509.Certificate]
    revoked: frozenset[int] = frozenset()
    """Serial numbers."""

    def flaws_of(
        self, certificate: x509.Certificate, at: datetime, *, revocation_list: bool = True
    ) -> frozenset[Flaw]:
        """Everything that is wrong with a certificate at a moment."""
        return frozenset(flaw for flaw in Flaw if self.sees(flaw, certificate, at, revocation_list))

    def sees(self, flaw: Flaw, certificate: x509.Certificate, at: datetime, revocation_list: bool) -> bool:
        """Tell whether one thing is wrong with a certificate at a moment."""
        match flaw:
            case Flaw.OUT_OF_DATE:
                found = not certificate.not_valid_before_utc <= at <= certificate.not_valid_after_utc
            case Flaw.BROKEN_CHAIN:
                found = _says_icp_brasil(certificate) and not self._issued(certificate)
            case Flaw.REVOKED:
                found = revocation_list and certificate.serial_number in self.revoked
            case Flaw.NO_REVOCATION_LIST:
                found = not revocation_list
            case _:
                found = flaw in _lasting_flaws(certificate)
        return found

    def _issued(self, certificate: x509.Certificate) -> bool:
        return any(_is_issued_by(certificate, authority) for authority in self.authorities)


@lru_cache(maxsize=1024)
def certificate_of(der: bytes) -> x509.Certificate | None:
    """A certificate from its bytes; None if they are none, or parts of it can't be read."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        _ = certificate.extensions, certificate.issuer, certificate.public_key(), certificate.version
    except (ValueError, UnsupportedAlgorithm, *_UNREADABLE):
        return None
    return certificate


@lru_cache(maxsize=1024)
def owner_of(certificate: x509.Certificate) -> str:
    """CNPJ or CPF of the holder (DOC-ICP-04, 7.1.2.3); empty if the certificate does not tell."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ""
    told = {one.type_id: _octets(one.value) for one in names.get_values_for_type(x509.OtherName)}
    if cnpj := told.get(_COMPANY_CNPJ, "")[:_CNPJ_LENGTH]:
        return cnpj
    return told.get(_PERSON_DATA, "")[_CPF_PLACE]


def _octets(value: bytes) -> str:
    """The text of an OCTET STRING or character string whose length takes one byte, as all of them are."""
    return value[2:].decode("latin-1").strip()


@lru_cache(maxsize=1024)
def _lasting_flaws(certificate: x509.Certificate) -> frozenset[Flaw]:
    """What is wrong with a certificate whenever and by whomever it is looked at."""
    found = {
        Flaw.INVALID: not _may_sign(certificate),
        Flaw.WITHOUT_TAX_ID: not owner_of(certificate),
        Flaw.NOT_ICP_BRASIL: not _says_icp_brasil(certificate),
    }
    return frozenset(flaw for flaw, is_there in found.items() if is_there)


@lru_cache(maxsize=1024)
def _says_icp_brasil(certificate: x509.Certificate) -> bool:
    """Tell whether the issuer's name is one of ICP-Brasil."""
    organizations = certificate.issuer.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return any(one.value == _ICP_BRASIL for one in organizations)


def _may_sign(certificate: x509.Certificate) -> bool:
    """Version 3, of a holder and not of an authority, for digital signatures (MOC 7.0, A01 and E01)."""
    if certificate.version is not x509.Version.v3:
        return False
    found = certificate.extensions
    try:
        if found.get_extension_for_class(x509.BasicConstraints).value.ca:
            return False
    except x509.ExtensionNotFound:
        pass
    try:
        return found.get_extension_for_class(x509.KeyUsage).value.digital_signature
    except x509.ExtensionNotFound:
        return False


@lru_cache(maxsize=1024)
def _is_issued_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True
