"""Summaries that the national environment hands out (resNFe and resEvento, MOC 7.0, 5.7.6)."""

from datetime import datetime

from lxml import etree

from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.place import Place
from carimbo.simulator.sefaz.answers import Authority
from carimbo.simulator.writing import tax_id, texts

_AUTHORIZED, _CANCELED = "1", "3"
_WITHOUT_REGISTRATION = "ISENTO"


def invoice_summary(document: StoredDocument, invoice: Group) -> str:
    """`resNFe`: what a recipient learns of a document before it says something."""
    return DIALECT.message(
        "resNFe",
        texts(
            {"chNFe": document.access_key}
            | tax_id(document.issuer)
            | {
                "xNome": invoice.text("emit/xNome"),
                "IE": invoice.text("emit/IE") or _WITHOUT_REGISTRATION,
                "dhEmi": invoice.text("ide/dhEmi"),
                "tpNF": invoice.text("ide/tpNF"),
                "vNF": invoice.text("total/ICMSTot/vNF"),
                "digVal": document.digest,
                "dhRecbto": _time(document.environment, document.received_at),
                "nProt": document.protocol,
                "cSitNFe": _CANCELED if document.is_canceled else _AUTHORIZED,
            }
        ),
        "1.01",
    )


def event_summary(event: StoredEvent) -> str:
    """`resEvento`: what a recipient learns of an event before it says something."""
    told = group_of(next(etree.fromstring(event.xml).iterchildren(f"{{{NAMESPACE}}}infEvento")))
    return DIALECT.message(
        "resEvento",
        texts(
            {"cOrgao": told.text("cOrgao")}
            | tax_id(event.author)
            | {
                "chNFe": event.access_key,
                "dhEvento": told.text("dhEvento"),
                "tpEvento": event.type,
                "nSeqEvento": str(event.sequence),
                "xEvento": told.text("detEvento/descEvento"),
                "dhRecbto": _time(event.environment, event.registered_at),
                "nProt": event.protocol,
            }
        ),
        "1.01",
    )


def _time(environment: str, moment: datetime) -> str:
    """A moment by the clock of the national environment."""
    return Authority(DIALECT, Place(NATIONAL, environment, "nfe", ""), moment).time()
