"""Which certificates an authority believes: ICP-Brasil's, which here is the simulator's own authority."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import lru_cache
from typing import Self

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


# Caches tell two apart by identity: a certificate takes longer to hash than the answer takes to look up.
@dataclass(frozen=True, slots=True, eq=False)
class Credential:
    """A certificate that somebody showed or signed with; what is asked of it every time is read once."""

    certificate: x509.Certificate
    owner: str
    """CNPJ or CPF of the holder (DOC-ICP-04, 7.1.2.3); empty if the certificate does not tell."""
    begin: datetime
    end: datetime
    serial_number: int
    says_icp_brasil: bool
    """Whether the issuer's name is one of ICP-Brasil."""
    lasting_flaws: frozenset[Flaw]
    """What is wrong with it whenever and by whomever it is looked at."""

    @classmethod
    def of(cls, certificate: x509.Certificate) -> Self:
        """Read a certificate."""
        owner, says_icp_brasil = _owner_of(certificate), _says_icp_brasil(certificate)
        found = (
            (Flaw.INVALID, not _may_sign(certificate)),
            (Flaw.WITHOUT_TAX_ID, not owner),
            (Flaw.NOT_ICP_BRASIL, not says_icp_brasil),
        )
        return cls(
            certificate=certificate,
            owner=owner,
            begin=certificate.not_valid_before_utc,
            end=certificate.not_valid_after_utc,
            serial_number=certificate.serial_number,
            says_icp_brasil=says_icp_brasil,
            lasting_flaws=_those_there(found),
        )


@dataclass(frozen=True, slots=True)
class Trust:
    """The authorities of ICP-Brasil that are known, and the certificates that they took back."""

    authorities: Sequence[Credential]
    revoked: frozenset[int] = frozenset()
    """Serial numbers."""

    def flaws_of(self, shown: Credential, at: datetime, *, revocation_list: bool = True) -> frozenset[Flaw]:
        """Everything that is wrong with a certificate at a moment."""
        passing = (
            (Flaw.OUT_OF_DATE, not shown.begin <= at <= shown.end),
            (Flaw.BROKEN_CHAIN, shown.says_icp_brasil and not self._issued(shown)),
            (Flaw.REVOKED, revocation_list and shown.serial_number in self.revoked),
            (Flaw.NO_REVOCATION_LIST, not revocation_list),
        )
        return shown.lasting_flaws | _those_there(passing)

    def _issued(self, shown: Credential) -> bool:
        return any(_is_issued_by(shown, authority) for authority in self.authorities)


# Reading a certificate and checking its chain take longer than a request; companies send with few of them.
@lru_cache(maxsize=1024)
def credential_of(der: bytes) -> Credential | None:
    """A certificate from its bytes; None if they are none, or parts of it can't be read."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        _ = certificate.extensions, certificate.issuer, certificate.public_key(), certificate.version
    except (ValueError, UnsupportedAlgorithm, *_UNREADABLE):
        return None
    return Credential.of(certificate)


def _those_there(flaws: Iterable[tuple[Flaw, bool]]) -> frozenset[Flaw]:
    return frozenset(flaw for flaw, is_there in flaws if is_there)


def _owner_of(certificate: x509.Certificate) -> str:
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


def _says_icp_brasil(certificate: x509.Certificate) -> bool:
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
def _is_issued_by(shown: Credential, authority: Credential) -> bool:
    try:
        shown.certificate.verify_directly_issued_by(authority.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True
