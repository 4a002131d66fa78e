"""The fields of a signed NFC-e, read before any of them is trusted."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Self

from lxml import etree

from carimbo.fiscal.documents.nfce.qr import QrRecipient
from carimbo.fiscal.identity.access_key import padded_tax_id
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE


def _at(path: str) -> Any:
    """Declares the path of a text in an NFe element."""
    return field(default="", metadata={"path": "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))})


@dataclass(frozen=True, slots=True)
class SignedReceipt:
    """Unchecked texts of a signed XML; empty where an element is missing."""

    id: str
    state_code: str = _at("infNFe/ide/cUF")
    numeric_code: str = _at("infNFe/ide/cNF")
    model: str = _at("infNFe/ide/mod")
    series: str = _at("infNFe/ide/serie")
    number: str = _at("infNFe/ide/nNF")
    issued_at: str = _at("infNFe/ide/dhEmi")
    emission_type: str = _at("infNFe/ide/tpEmis")
    check_digit: str = _at("infNFe/ide/cDV")
    environment: str = _at("infNFe/ide/tpAmb")
    contingency_at: str = _at("infNFe/ide/dhCont")
    contingency_reason: str = _at("infNFe/ide/xJust")
    issuer_cnpj: str = _at("infNFe/emit/CNPJ")
    issuer_cpf: str = _at("infNFe/emit/CPF")
    recipient_cnpj: str = _at("infNFe/dest/CNPJ")
    recipient_cpf: str = _at("infNFe/dest/CPF")
    recipient_foreign: str = _at("infNFe/dest/idEstrangeiro")
    amount: str = _at("infNFe/total/ICMSTot/vNF")
    qr_code: str = _at("infNFeSupl/qrCode")
    consult: str = _at("infNFeSupl/urlChave")

    @classmethod
    def of(cls, root: etree._Element) -> Self:
        """Reads the fields of an NFe element."""
        signed = root.find(f"{{{NAMESPACE}}}infNFe")
        paths = {item.name: item.metadata["path"] for item in fields(cls) if "path" in item.metadata}
        texts = {name: root.findtext(path) or "" for name, path in paths.items()}
        return cls("" if signed is None else signed.get("Id", ""), **texts)

    @property
    def key(self) -> str:
        """The access key of the Id."""
        return self.id.removeprefix("NFe")

    @property
    def composed_key(self) -> str:
        """The access key composed from the fields, with their check digit (MOC 7.0)."""
        year_month = self.issued_at[2:4] + self.issued_at[5:7]
        series, number = self.series.zfill(3), self.number.zfill(9)
        first = f"{self.state_code}{year_month}{padded_tax_id(self.issuer)}{self.model}{series}{number}"
        return f"{first}{self.emission_type}{self.numeric_code}{self.check_digit}"

    @property
    def issuer(self) -> str:
        """CNPJ, or the CPF of a rural producer."""
        return self.issuer_cnpj or self.issuer_cpf

    @property
    def recipient(self) -> QrRecipient:
        """The recipient as in a QR code of version 3."""
        return QrRecipient.of(
            cnpj=self.recipient_cnpj, cpf=self.recipient_cpf, foreign=self.recipient_foreign
        )

    @property
    def moment(self) -> datetime | None:
        """The moment of issue; None if it is invalid or has no offset."""
        try:
            moment = datetime.fromisoformat(self.issued_at)
        except ValueError:
            return None
        return moment if moment.utcoffset() is not None else None
