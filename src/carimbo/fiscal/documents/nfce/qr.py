"""The QR code of an NFC-e and its supplement: written in both versions, online and offline, and read back.

Version 2 has a hash with the company's CSC; version 3 is signed with the certificate, only offline (NT
2025.001; Manual de Padrões Técnicos do DANFE NFC-e e QR Code 6.0, 4.3 and 4.4).
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

from carimbo.fiscal.documents.nfce.settings import QR_WITHOUT_CSC, NfceSettings
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.signature import Signature, Signer
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.authorities import NfceAddresses, nfce_addresses

# XSD: lengths of qrCode and urlChave.
_MAX_QR_LENGTH = 1_000
_MAX_CONSULT_URL_LENGTH = 85

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
    """The buyer in version 3: kind and tax id, both empty if the buyer is not identified."""

    kind: str = ""
    tax_id: str = ""

    @classmethod
    def of(cls, *, cnpj: str | None = None, cpf: str | None = None, foreign: str | None = None) -> Self:
        """Chooses the kind; the code omits a foreigner's document."""
        if cnpj:
            return cls("1", cnpj)
        if cpf:
            return cls("2", cpf)
        return cls("3") if foreign else cls()


@dataclass(frozen=True, slots=True)
class OfflineReceipt:
    """The data of an NFC-e issued offline that its QR code contains."""

    access_key: str
    environment: Environment
    issued_at: datetime
    """As written in the XML; the QR code has the day in that offset."""
    amount: Decimal
    recipient: QrRecipient = field(default_factory=QrRecipient)

    def parameters(self, version: str) -> str:
        """Returns the first parameters, which both versions share."""
        day, amount = f"{self.issued_at:%d}", canonical.decimal(self.amount, 2)
        return _BAR.join([self.access_key, version, self.environment.code, day, amount])


def online_v2(address: str, access_key: str, environment: Environment, csc: Csc) -> str:
    """Returns version 2 for a receipt that is authorized before it is printed."""
    return _sealed(address, _BAR.join([access_key, "2", environment.code, csc.id]), csc)


def offline_v2(address: str, receipt: OfflineReceipt, digest_value: str, csc: Csc) -> str:
    """Returns version 2 for a contingency receipt, with the digest of its signature."""
    parameters = [receipt.parameters("2"), hex_digest(digest_value), csc.id]
    return _sealed(address, _BAR.join(parameters), csc)


def online_v3(address: str, access_key: str, environment: Environment) -> str:
    """Returns version 3 for a receipt that is authorized before it is printed."""
    return _addressed(address, _BAR.join([access_key, "3", environment.code]))


def offline_v3(address: str, receipt: OfflineReceipt, signer: Signer) -> str:
    """Returns version 3 for a contingency receipt, signed with the certificate that signs the XML."""
    recipient = receipt.recipient
    parameters = _BAR.join([receipt.parameters("3"), recipient.kind, recipient.tax_id])
    return _addressed(address, f"{parameters}{_BAR}{signer.sign_text(parameters)}")


def supplement_xml(qr_code: str, consult: str) -> str:
    """Returns `infNFeSupl`, which comes between the signed part and its signature."""
    qr_text, consult_text = (
        canonical.text(qr_code, _MAX_QR_LENGTH),
        canonical.text(consult, _MAX_CONSULT_URL_LENGTH),
    )
    return f"<infNFeSupl><qrCode>{qr_text}</qrCode><urlChave>{consult_text}</urlChave></infNFeSupl>"


def hex_digest(digest_value: str) -> str:
    """Returns the base64 text of a DigestValue, each letter in hexadecimal."""
    return digest_value.encode().hex()


def csc_hash(parameters: str, csc: Csc) -> str:
    """Returns the hash of version 2: SHA-1 of parameters and secret."""
    return hashlib.sha1((parameters + csc.token).encode(), usedforsecurity=False).hexdigest().upper()


def _sealed(address: str, parameters: str, csc: Csc) -> str:
    return _addressed(address, f"{parameters}{_BAR}{csc_hash(parameters, csc)}")


def _addressed(address: str, parameters: str) -> str:
    # Some states publish their address with the question mark or the whole `?p=`; the XSD requires it once.
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
    """The parameters of a QR code as text; empty where its version or kind has none."""

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
    """The parameters under the hash or signature."""

    @property
    def is_offline(self) -> bool:
        """Whether it belongs to a contingency receipt."""
        return bool(self.day)

    def is_sealed_with(self, csc: Csc) -> bool:
        """Returns whether the hash of version 2 was made with this security code."""
        return self.seal.upper() == csc_hash(self.sealed, csc)

    def is_signed_by(self, certificate_der: bytes) -> bool:
        """Returns whether the signature of version 3 was made with the certificate's key."""
        key = x509.load_der_x509_certificate(certificate_der).public_key()
        if not isinstance(key, RSAPublicKey):
            return False
        try:
            # NT 2025.001 prescribes RSA with SHA-1.
            key.verify(b64decode(self.seal, validate=True), self.sealed.encode(), PKCS1v15(), hashes.SHA1())  # noqa: S303
        except (InvalidSignature, ValueError):
            return False
        return True


def read_qr(text: str) -> QrCode:
    """Parses a QR code of version 2 or 3; the caller compares its values. Raises `InvalidQr`."""
    address, separator, query = text[: _MAX_QR_LENGTH + 1].partition(_QUERY)
    values = query.split(_BAR)
    if not separator or len(text) > _MAX_QR_LENGTH or len(values) < len(_START):
        raise InvalidQr("396", "O QR Code não tem os parâmetros que a NFC-e exige.")
    version = values[1]
    if version not in ("2", "3"):
        raise InvalidQr("398", "O QR Code não é da versão 2 nem da versão 3.")
    names = _LAYOUTS.get((version, len(values)))
    if names is None:
        raise InvalidQr("396", f"O QR Code da versão {version} não pode ter {len(values)} parâmetros.")
    return QrCode(address=address, sealed=query.rpartition(_BAR)[0], **dict(zip(names, values, strict=True)))


def supplement_of(
    invoice: Invoice, emission: Emission, settings: NfceSettings, signature: Signature, signer: Signer
) -> bytes | tuple[Problem, ...]:
    """Returns the supplement (`infNFeSupl`), or what the company's settings lack for it."""
    addresses = nfce_addresses(invoice.issuer.address.state, emission.environment)
    if addresses is None:
        return (Problem("395", "company.address.state", "Não há endereço de consulta de NFC-e para a UF."),)
    csc = csc_of(settings, emission.environment)
    if csc is None and settings.qr_version != QR_WITHOUT_CSC:
        return (
            Problem(
                "462",
                "company.settings.nfce.csc",
                "O QR Code da versão 2 exige o CSC deste ambiente.",
                "Informe cscId e csc nas configurações da NFC-e, ou use qrVersion 3.",
            ),
        )
    qr_code = _qr_code(invoice, emission, addresses, csc, signature, signer)
    return supplement_xml(qr_code, addresses.consult).encode()


def csc_of(settings: NfceSettings, environment: Environment) -> Csc | None:
    """Returns the security code of an environment, None for version 3 of the QR code, which uses none."""
    own = settings if environment is Environment.PRODUCTION else settings.homologation
    if settings.qr_version == QR_WITHOUT_CSC or own is None or not own.csc_id or not own.csc:
        return None
    return Csc(own.csc_id, own.csc)


def _qr_code(
    invoice: Invoice,
    emission: Emission,
    addresses: NfceAddresses,
    csc: Csc | None,
    signature: Signature,
    signer: Signer,
) -> str:
    key = invoice.id.removeprefix("NFe")
    if emission.type is not EmissionType.OFFLINE:
        if csc is None:
            return online_v3(addresses.qr, key, emission.environment)
        return online_v2(addresses.qr, key, emission.environment, csc)
    buyer = invoice.recipient
    receipt = OfflineReceipt(
        access_key=key,
        environment=emission.environment,
        issued_at=emission.issued_at,
        amount=invoice.totals.invoice.amount,
        recipient=QrRecipient.of(cnpj=buyer.cnpj, cpf=buyer.cpf, foreign=buyer.foreign_id)
        if buyer
        else QrRecipient(),
    )
    if csc is None:
        return offline_v3(addresses.qr, receipt, signer)
    return offline_v2(addresses.qr, receipt, signature.digest_value, csc)
