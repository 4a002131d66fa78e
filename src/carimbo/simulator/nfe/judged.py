"""NF-e and NFC-e, their items and their events, with everything that the rules need."""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.dialect import CANCELLATION, DIALECT, NAMESPACE, SUBSTITUTION
from carimbo.simulator.sefaz.judged import JudgedDocument, JudgedEvent
from carimbo.simulator.sefaz.rules.message import schema_fault

# As in e110112_v1.00.xsd (NT 2018.004), which no official package has.
_SUBSTITUTION_FIELDS = {
    "descEvento": r"Cancelamento por substitui(?:cao|ção)",
    "cOrgaoAutor": r"[0-9]{2}",
    "tpAutor": r"[0-9]",
    "verAplic": r"\S.{0,18}\S|\S",
    "nProt": r"[0-9]{15}(?:[0-9]{2})?",
    "xJust": r"[!-ÿ][ -ÿ]{13,253}[!-ÿ]",
    "chNFeRef": r"[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
}
_PLAIN_CANCELLATION = (
    f'<detEvento xmlns="{NAMESPACE}" versao="1.00"><descEvento>Cancelamento</descEvento>'
    f"<nProt>{'0' * 15}</nProt><xJust>{'x' * 15}</xJust></detEvento>"
)
_AT_DETAIL = "evento/infEvento/detEvento"


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """One `det`, with the parts that many rules use. Missing groups have an empty tag."""

    number: str
    """`nItem`."""
    item: Group
    product: Group
    taxes: Group
    icms: Group
    """The group of the tax situation, such as `ICMS00` and `ICMSSN102`."""
    situation: str
    """CST or CSOSN of the ICMS."""
    pis: Group
    """`PISAliq`, `PISNT`…"""
    cofins: Group
    reform: Group
    """`IBSCBS`."""
    rated: Group
    """`gIBSCBS`."""
    cfop: str
    ncm: str

    @property
    def is_service(self) -> bool:
        """Whether the item is taxed by a city (ISS) instead of a state."""
        return "ISSQN" in self.taxes.groups

    @property
    def consumed_in(self) -> str:
        """The state where a fuel is consumed (`UFCons`), `EX` abroad; empty if it is missing."""
        return self.product.text("comb/UFCons")


def judged_line(item: Group) -> JudgedLine:
    """Reads an item."""
    product, taxes = item.group("prod") or NOTHING, item.group("imposto") or NOTHING
    icms = _only_in(taxes, "ICMS")
    reform = taxes.group("IBSCBS") or NOTHING
    return JudgedLine(
        number=item.attributes.get("nItem", ""),
        item=item,
        product=product,
        taxes=taxes,
        icms=icms,
        situation=icms.texts.get("CST") or icms.texts.get("CSOSN", ""),
        pis=_only_in(taxes, "PIS"),
        cofins=_only_in(taxes, "COFINS"),
        reform=reform,
        rated=reform.group("gIBSCBS") or NOTHING,
        cfop=product.texts.get("CFOP", ""),
        ncm=product.texts.get("NCM", ""),
    )


def _only_in(taxes: Group, tag: str) -> Group:
    around = taxes.group(tag)
    return (around.only() if around else None) or NOTHING


@dataclass(frozen=True)
class JudgedInvoice(JudgedDocument):
    """One `NFe`, which is valid against its XSD."""

    dialect = DIALECT

    @property
    def items(self) -> Sequence[Group]:
        """Every `det`."""
        return self.content.all("det")

    @cached_property
    def lines(self) -> Sequence[JudgedLine]:
        """Every item, prepared for the rules."""
        return tuple(map(judged_line, self.items))


@dataclass(frozen=True)
class JudgedInvoiceEvent(JudgedEvent):
    """One `evento`."""

    dialect = DIALECT

    @cached_property
    def replacement(self) -> StoredDocument | None:
        """The document that replaces a canceled one."""
        return self.ledger.document(self.service_path.environment, self.detail.text("chNFeRef"))

    @cached_property
    def schema_fault(self) -> str:
        """The first violation of its form; the detail of a substitution is checked without an XSD."""
        if self.type is not SUBSTITUTION:
            return schema_fault(self, self.element, self.type.schema) or ""
        plain = self._as_cancellation()
        return schema_fault(self, plain, Schema.NFE_CANCELLATION) or self._fault_of_substitution()

    def _as_cancellation(self) -> etree._Element:
        """The event as a plain cancellation, whose XSD has the common part of both types."""
        plain = deepcopy(self.element)
        for content in plain.iterchildren("{*}infEvento"):
            for child in content.iterchildren("{*}tpEvento"):
                child.text = CANCELLATION.code
            for child in content.iterchildren("{*}detEvento"):
                content.replace(child, etree.fromstring(_PLAIN_CANCELLATION))
        return plain

    def _fault_of_substitution(self) -> str:
        detail, texts = self.detail, dict(self.detail.texts)
        if (
            list(texts) != list(_SUBSTITUTION_FIELDS)
            or detail.attributes.get("versao") != DIALECT.event_version
        ):
            return f"[{_AT_DETAIL}: elemento inesperado, repetido ou ausente]"
        wrong = (
            tag for tag, pattern in _SUBSTITUTION_FIELDS.items() if not re.fullmatch(pattern, texts[tag])
        )
        tag = next(wrong, "")
        return f"[{_AT_DETAIL}/{tag}: formato inválido]" if tag else ""


def reopened_invoice(document: StoredDocument, event: JudgedInvoiceEvent) -> JudgedInvoice:
    """Returns a stored document, ready for rules."""
    return JudgedInvoice(etree.fromstring(document.xml), event.service_path, event.context)
