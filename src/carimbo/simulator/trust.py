"""Certificates of senders and signers, checked against ICP-Brasil, which here is the simulator's own
authority.
"""

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


class CertificateFlaw(IntEnum):
    """A flaw of a certificate: the last digit of 280 to 286 (sender) and 290 to 296 (signer)."""

    INVALID = 0
    OUT_OF_DATE = 1
    WITHOUT_TAX_ID = 2
    BROKEN_CHAIN = 3
    REVOKED = 4
    NOT_ICP_BRASIL = 5
    NO_REVOCATION_LIST = 6


# Compared by identity in caches: hashing a certificate takes longer than the lookup.
@dataclass(frozen=True, slots=True, eq=False)
class JudgedCertificate:
    """The certificate of a sender or signer, with the facts that rules need read once."""

    certificate: x509.Certificate
    owner: str
    """CNPJ or CPF of the holder (DOC-ICP-04, 7.1.2.3); empty if the certificate has none."""
    begin: datetime
    end: datetime
    serial_number: int
    names_icp_brasil: bool
    """Whether the issuer's organization is ICP-Brasil."""
    permanent_flaws: frozenset[CertificateFlaw]
    """Flaws that depend neither on the time nor on the trust store."""

    @classmethod
    def of(cls, certificate: x509.Certificate) -> Self:
        """Reads a certificate."""
        owner, names_icp_brasil = _owner_of(certificate), _says_icp_brasil(certificate)
        flaws = (
            (CertificateFlaw.INVALID, not _may_sign(certificate)),
            (CertificateFlaw.WITHOUT_TAX_ID, not owner),
            (CertificateFlaw.NOT_ICP_BRASIL, not names_icp_brasil),
        )
        return cls(
            certificate=certificate,
            owner=owner,
            begin=certificate.not_valid_before_utc,
            end=certificate.not_valid_after_utc,
            serial_number=certificate.serial_number,
            names_icp_brasil=names_icp_brasil,
            permanent_flaws=_flaws_present(flaws),
        )


@dataclass(frozen=True, slots=True)
class TrustedAuthorities:
    """The accepted authorities of ICP-Brasil, and the certificates that they have revoked."""

    authorities: Sequence[JudgedCertificate]
    revoked: frozenset[int] = frozenset()
    """Serial numbers."""

    def flaws_of(
        self, certificate: JudgedCertificate, at: datetime, *, revocation_list: bool = True
    ) -> frozenset[CertificateFlaw]:
        """Returns every flaw of a certificate at a moment."""
        is_chain_broken = certificate.names_icp_brasil and not any(
            _is_issued_by(certificate, authority) for authority in self.authorities
        )
        current = (
            (CertificateFlaw.OUT_OF_DATE, not certificate.begin <= at <= certificate.end),
            (CertificateFlaw.BROKEN_CHAIN, is_chain_broken),
            (CertificateFlaw.REVOKED, revocation_list and certificate.serial_number in self.revoked),
            (CertificateFlaw.NO_REVOCATION_LIST, not revocation_list),
        )
        return certificate.permanent_flaws | _flaws_present(current)


# Reading a certificate takes longer than answering a request, and companies use few certificates.
@lru_cache(maxsize=1024)
def judged_certificate(der: bytes) -> JudgedCertificate | None:
    """Returns a certificate from its DER; None if it, or a part that rules need, is unreadable."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        _ = certificate.extensions, certificate.issuer, certificate.public_key(), certificate.version
    except (ValueError, UnsupportedAlgorithm, *_UNREADABLE):
        return None
    return JudgedCertificate.of(certificate)


def _flaws_present(flaws: Iterable[tuple[CertificateFlaw, bool]]) -> frozenset[CertificateFlaw]:
    return frozenset(flaw for flaw, is_there in flaws if is_there)


def _owner_of(certificate: x509.Certificate) -> str:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        return ""
    values = {name.type_id: _octets(name.value) for name in names.get_values_for_type(x509.OtherName)}
    if cnpj := values.get(_COMPANY_CNPJ, "")[:_CNPJ_LENGTH]:
        return cnpj
    return values.get(_PERSON_DATA, "")[_CPF_PLACE]


def _octets(value: bytes) -> str:
    """The text of an OCTET STRING or character string with a one-byte length, which all of them have."""
    return value[2:].decode("latin-1").strip()


def _says_icp_brasil(certificate: x509.Certificate) -> bool:
    organizations = certificate.issuer.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
    return any(organization.value == _ICP_BRASIL for organization in organizations)


def _may_sign(certificate: x509.Certificate) -> bool:
    """Version 3, of a holder and not of an authority, for digital signatures (MOC 7.0, A01 and E01)."""
    if certificate.version is not x509.Version.v3:
        return False
    extensions = certificate.extensions
    try:
        if extensions.get_extension_for_class(x509.BasicConstraints).value.ca:
            return False
    except x509.ExtensionNotFound:
        pass
    try:
        return extensions.get_extension_for_class(x509.KeyUsage).value.digital_signature
    except x509.ExtensionNotFound:
        return False


@lru_cache(maxsize=1024)
def _is_issued_by(certificate: JudgedCertificate, authority: JudgedCertificate) -> bool:
    try:
        certificate.certificate.verify_directly_issued_by(authority.certificate)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True
