"""The QR code of an NFC-e: written in both versions, online and offline, and read back.

Version 2 is sealed with the company's CSC; version 3 only offline, and with the certificate (NT 2025.001;
Manual de Padrões Técnicos do DANFE NFC-e e QR Code 6.0, 4.3 and 4.4).
"""

import hashlib
from base64 import b64decode
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.signature import Signer

# XSD: lengths of qrCode and urlChave.
_LONGEST_QR = 1_000
_LONGEST_CONSULT = 85

_BAR = "|"
_QUERY = "?p="


class InvalidQr(ValueError):
    """The text is not a QR code of an NFC-e; the message is Portuguese and `code` the authority's cStat."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Csc:
    """The security code that the state gives a company for version 2."""

    id: str
    """Without leading zeros, as the QR code shows it."""
    token: str = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", self.id.lstrip("0") or "0")


@dataclass(frozen=True, slots=True)
class QrRecipient:
    """Who bought, as version 3 tells it: kind and tax id, both empty when nobody is identified."""

    kind: str = ""
    tax_id: str = ""

    @classmethod
    def of(cls, *, cnpj: str | None = None, cpf: str | None = None, foreign: str | None = None) -> Self:
        """Choose the kind; a foreigner's document stays out of the code."""
        if cnpj:
            return cls("1", cnpj)
        if cpf:
            return cls("2", cpf)
        return cls("3") if foreign else cls()


@dataclass(frozen=True, slots=True)
class OfflineReceipt:
    """What an NFC-e that waits for its authorisation says of itself in the QR code."""

    access_key: str
    environment: Environment
    issued_at: datetime
    """As written in the XML: its day is that of the offset it has there."""
    amount: Decimal
    recipient: QrRecipient = field(default_factory=QrRecipient)

    def parameters(self, version: str) -> str:
        """The beginning that both versions share."""
        day, amount = f"{self.issued_at:%d}", canonical.decimal(self.amount, 2)
        return _BAR.join([self.access_key, version, self.environment.code, day, amount])


def online_v2(address: str, access_key: str, environment: Environment, csc: Csc) -> str:
    """Write version 2 of a receipt that is authorised before it is printed."""
    return _sealed(address, _BAR.join([access_key, "2", environment.code, csc.id]), csc)


def offline_v2(address: str, receipt: OfflineReceipt, digest_value: str, csc: Csc) -> str:
    """Write version 2 of a contingency receipt, which the digest of its signature ties to the XML."""
    parameters = [receipt.parameters("2"), hex_digest(digest_value), csc.id]
    return _sealed(address, _BAR.join(parameters), csc)


def online_v3(address: str, access_key: str, environment: Environment) -> str:
    """Write version 3 of a receipt that is authorised before it is printed."""
    return _addressed(address, _BAR.join([access_key, "3", environment.code]))


def offline_v3(address: str, receipt: OfflineReceipt, signer: Signer) -> str:
    """Write version 3 of a contingency receipt, signed with the certificate of the XML's own signature."""
    recipient = receipt.recipient
    parameters = _BAR.join([receipt.parameters("3"), recipient.kind, recipient.tax_id])
    return _addressed(address, f"{parameters}{_BAR}{signer.sign_text(parameters)}")


def supplement(qr_code: str, consult: str) -> str:
    """Write `infNFeSupl`, which stands between the signed part and its signature."""
    qr_text, consult_text = canonical.text(qr_code, _LONGEST_QR), canonical.text(consult, _LONGEST_CONSULT)
    return f"<infNFeSupl><qrCode>{qr_text}</qrCode><urlChave>{consult_text}</urlChave></infNFeSupl>"


def hex_digest(digest_value: str) -> str:
    """The base64 text of a DigestValue, letter by letter in hexadecimal."""
    return digest_value.encode().hex()


def csc_hash(parameters: str, csc: Csc) -> str:
    """The seal of version 2: parameters and secret in one SHA-1."""
    return hashlib.sha1((parameters + csc.token).encode(), usedforsecurity=False).hexdigest().upper()


def _sealed(address: str, parameters: str, csc: Csc) -> str:
    return _addressed(address, f"{parameters}{_BAR}{csc_hash(parameters, csc)}")


def _addressed(address: str, parameters: str) -> str:
    # Some states publish their address with the question mark or the whole `?p=`; the XSD wants it once.
    return address.removesuffix(_QUERY).removesuffix("?") + _QUERY + parameters


_START = ("access_key", "version", "environment")
_OFFLINE = (*_START, "day", "amount")
_LAYOUTS = {
    ("2", 5): (*_START, "csc_id", "seal"),
    ("2", 8): (*_OFFLINE, "digest", "csc_id", "seal"),
    ("3", 3): _START,
    ("3", 7): (*_OFFLINE, "recipient_kind", "recipient"),
    ("3", 8): (*_OFFLINE, "recipient_kind", "recipient", "seal"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QrCode:
    """A QR code taken apart: texts as they stand, empty where its version or kind has none."""

    address: str
    access_key: str
    version: str
    environment: str
    """`tpAmb`."""
    day: str = ""
    amount: str = ""
    digest: str = ""
    recipient_kind: str = ""
    recipient: str = ""
    csc_id: str = ""
    seal: str = ""
    """Hash of version 2, signature of version 3."""
    sealed: str = ""
    """The parameters that the seal was made of."""

    @property
    def is_offline(self) -> bool:
        """Tell whether it is that of a contingency receipt."""
        return bool(self.day)

    def is_sealed_with(self, csc: Csc) -> bool:
        """Tell whether the hash of version 2 was made with this security code."""
        return self.seal.upper() == csc_hash(self.sealed, csc)

    def is_signed_by(self, certificate_der: bytes) -> bool:
        """Tell whether the signature of version 3 was made with the certificate's key."""
        key = x509.load_der_x509_certificate(certificate_der).public_key()
        if not isinstance(key, RSAPublicKey):
            return False
        try:
            # RSA with SHA-1 is what NT 2025.001 asks for.
            key.verify(b64decode(self.seal, validate=True), self.sealed.encode(), PKCS1v15(), hashes.SHA1())  # noqa: S303
        except (InvalidSignature, ValueError):
            return False
        return True


def read_qr(text: str) -> QrCode:
    """Take a QR code of version 2 or 3 apart; whether it tells the truth is for the caller to compare."""
    address, found, query = text[: _LONGEST_QR + 1].partition(_QUERY)
    values = query.split(_BAR)
    if not found or len(text) > _LONGEST_QR or len(values) < len(_START):
        raise InvalidQr("396", "O QR Code não tem os parâmetros que a NFC-e exige.")
    version = values[1]
    if version not in ("2", "3"):
        raise InvalidQr("398", "O QR Code não é da versão 2 nem da versão 3.")
    names = _LAYOUTS.get((version, len(values)))
    if names is None:
        raise InvalidQr("396", f"O QR Code da versão {version} não pode ter {len(values)} parâmetros.")
    return QrCode(address=address, sealed=query.rpartition(_BAR)[0], **dict(zip(names, values, strict=True)))
