"""Whom a certificate was issued to, wherever the certificate authority wrote it."""

from collections.abc import Iterator
from enum import StrEnum

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from carimbo.fiscal.ber import CONSTRUCTED, Element, parse
from carimbo.fiscal.taxpayer import is_cnpj, is_cpf, normalize

# 2.16.76.1.3.3: CNPJ of the company. 2.16.76.1.3.1: birth date (8), CPF (11) and more, only in an e-CPF; the
# person responsible for a company is in 2.16.76.1.3.4 and is not the owner (DOC-ICP-04, 7.1.2.3).
_COMPANY_CNPJ = bytes.fromhex("604c010303")
_PERSON_DATA = bytes.fromhex("604c010301")
_CNPJ_PLACE = slice(0, 14)
_CPF_PLACE = slice(8, 19)


class OwnerKind(StrEnum):
    """Whom a certificate was issued to."""

    CNPJ = "cnpj"
    CPF = "cpf"
    UNKNOWN = "unknown"


def owner_in(certificate: x509.Certificate) -> tuple[str | None, OwnerKind]:
    """CNPJ or CPF of the owner, if any is written there."""
    for text in map(normalize, _owner_candidates(certificate)):
        if is_cnpj(text):
            return text, OwnerKind.CNPJ
        if is_cpf(text):
            return text, OwnerKind.CPF
    return None, OwnerKind.UNKNOWN


def _owner_candidates(certificate: x509.Certificate) -> Iterator[str]:
    """List where the owner may be written, the most trustworthy place first."""
    root = parse(certificate.public_bytes(Encoding.DER))
    yield _value_of(_COMPANY_CNPJ, root)[_CNPJ_PLACE]
    yield _value_of(_PERSON_DATA, root)[_CPF_PLACE]
    yield _subject(certificate, NameOID.COMMON_NAME).rpartition(":")[2]
    yield _subject(certificate, NameOID.SERIAL_NUMBER)


def _value_of(object_id: bytes, root: Element) -> str:
    """Read the text beside an object id, whatever its string type and however many tags wrap it."""
    value = next((found.children[1] for found in root.walk() if found.begins_with({object_id})), None)
    while value and value.tag & CONSTRUCTED and value.children:
        value = value.children[0]
    return value.content.decode("latin-1").strip("\0 ") if value else ""


def subject_name(certificate: x509.Certificate) -> str:
    """The owner's name, without the CNPJ or CPF that follows it."""
    common_name = _subject(certificate, NameOID.COMMON_NAME)
    name, _, suffix = common_name.rpartition(":")
    tax_id = normalize(suffix)
    return name if is_cnpj(tax_id) or is_cpf(tax_id) else common_name


def _subject(certificate: x509.Certificate, oid: x509.ObjectIdentifier) -> str:
    values = [attribute.value for attribute in certificate.subject.get_attributes_for_oid(oid)]
    return next((value for value in values if isinstance(value, str)), "")
