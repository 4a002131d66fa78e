"""A family of documents that no authority has: its dialect, its services and its authorities' answers.

It differs from NF-e wherever a dialect can: documents and events are sent alone, documents zipped, services
have a SOAP header, queries do not name the state, and a document may be closed.
"""

from dataclasses import dataclass
from datetime import datetime

import nfe_answers as nfe
from carimbo.authorities.sefaz import Distribution, SefazFamily, SoapService
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.group import INLINE, attribute, child, group, integer, moment, text
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.events import SefazEvent, signed_event
from carimbo.fiscal.tables.statuses import MDFE_STATUSES
from nfe_answers import CANCELED_AT, DIGEST, PROTOCOL, RECEIVED, element, verdict
from support import CNPJ
from unit.fiscal.keys import with_parts

NAMESPACE = "http://www.portalfiscal.inf.br/toy"
CANCELLATION, CLOSING, NOTICE = "110111", "110112", "110114"
# The model is that of CT-e, which has authorities in the official tables.
KEY = with_parts(AccessKey.parse(nfe.KEY), model="57")
OTHER_KEY = with_parts(KEY, number=2)

TOY = Dialect(
    namespace=NAMESPACE,
    stem="Toy",
    document_tag="ToyOS",
    archive_tag="toyOSProc",
    status_tag="consStatServToy",
    version="3.00",
    event_version="3.01",
    distribution_version="1.00",
    sequence_digits=3,
    statuses=MDFE_STATUSES,
    in_lots=False,
    zips_documents=True,
    status_names_state=False,
    distribution_names_state=False,
    cancellations=frozenset({CANCELLATION}),
    closings=frozenset({CLOSING}),
)
TOY_FAMILY = SefazFamily(
    dialect=TOY,
    reception=SoapService("ToyRecepcaoOS", "toyRecepcaoOS"),
    consult=SoapService("ToyConsulta", "toyConsulta", header_version="3.00"),
    status=SoapService("ToyStatusServico", "toyStatusServico", header_version="3.00"),
    event=SoapService("ToyRecepcaoEvento", "toyRecepcaoEvento", header_version="3.00"),
    distribution=Distribution(
        model="57",
        authorizer="SVRS",
        pages=SoapService("ToyDistribuicao", "toyDistDFeInteresse", header_version="1.00"),
        single=SoapService("ToyDistribuicao", "toyDistDFeInteresse", header_version="1.00"),
    ),
    document_missing_code="216",
)


@group("detEvento")
class ToyDetail:
    """`detEvento`, which the toy writes alike for all events."""

    event_type = CLOSING
    version: str = attribute("versaoEvento", 4, default="3.01")
    description: str = text("descEvento", 60, default="Encerramento")


@group("detEvento")
class ToyCancellation(ToyDetail):
    """The only event that contingency authorities accept."""

    event_type = CANCELLATION


@group("infEvento")
class ToyEventInformation:
    """`infEvento`: the part of an event that is signed."""

    id: str = attribute("Id", 55)
    organ: str = text("cOrgao", 2)
    environment: str = text("tpAmb", 1)
    cnpj: str = text("CNPJ", 14)
    access_key: str = text("chToy", 44)
    occurred_at: datetime = moment("dhEvento")
    event_type: str = text("tpEvento", 6)
    sequence: int = integer("nSeqEvento")
    detail: ToyDetail = child("detEvento", path=INLINE)


@dataclass(frozen=True, slots=True)
class ToyEvent(SefazEvent[ToyDetail]):
    """An event of a toy."""

    dialect = TOY

    def information(self) -> ToyEventInformation:
        """Returns the part that is signed."""
        return ToyEventInformation(
            id=self.id,
            organ=self.organ,
            environment=self.environment,
            cnpj=self.cnpj or "",
            access_key=self.access_key,
            occurred_at=self.occurred_at,
            event_type=self.detail.event_type,
            sequence=self.sequence,
            detail=self.detail,
        )


CLOSED = ToyDetail()


def toy_event(sequence: int = 1, detail: ToyDetail = CLOSED, key: AccessKey = KEY) -> ToyEvent:
    return ToyEvent("35", "2", CNPJ, key, datetime.fromisoformat(CANCELED_AT), sequence, detail)


def signed_toy_event(detail: ToyDetail = CLOSED, key: AccessKey = KEY) -> bytes:
    return signed_event(toy_event(detail=detail, key=key), Signer.throwaway())


class ToyEndpoints:
    """Addresses that name the authority and the service."""

    def address(self, model: str, authorizer: str, environment: Environment, service: str) -> str:
        return f"https://{authorizer.lower()}/{model}/{service}"


def message(root: str, inside: str) -> str:
    return f'<{root} xmlns="{NAMESPACE}" versao="3.00"><tpAmb>2</tpAmb>{inside}</{root}>'


def protocol(
    code: str = "100",
    text: str = "Autorizado o uso",
    *,
    key: str | None = KEY,
    number: str | None = PROTOCOL,
    is_nested: bool = False,
) -> str:
    about = element("chToy", key) + element("dhRecbto", RECEIVED) + element("nProt", number)
    inside = f"<infProt>{about}{element('digVal', DIGEST)}{verdict(code, text)}</infProt>"
    written = f'<protToy versao="3.00">{inside}</protToy>'
    return f'<protToy versao="3.00">{written}</protToy>' if is_nested else written


def reception(inside: str = "", outer: str = verdict("100", "Autorizado o uso")) -> bytes:
    return message("retToyOS", outer + inside).encode()


def consult(code: str, text: str, inside: str = "") -> bytes:
    return message("retConsSitToy", verdict(code, text) + inside).encode()


def event_receipt(
    code: str = "135", *, event_type: str = CLOSING, sequence: int = 1, key: str | None = KEY
) -> str:
    about = element("chToy", key) + element("tpEvento", event_type) + element("nSeqEvento", str(sequence))
    rest = element("dhRegEvento", CANCELED_AT) + element("nProt", "135260000000009")
    inside = f"{verdict(code, 'Evento registrado')}{about}{rest}"
    return f'<retEventoToy versao="3.01"><infEvento>{inside}</infEvento></retEventoToy>'


def event_answer(
    code: str = "135", *, event_type: str = CLOSING, sequence: int = 1, key: str | None = KEY
) -> bytes:
    receipt = event_receipt(code, event_type=event_type, sequence=sequence, key=key)
    return receipt.replace("<retEventoToy", f'<retEventoToy xmlns="{NAMESPACE}"', 1).encode()


def stored_event(event_type: str = CLOSING, sequence: int = 1, *, is_nested: bool = False) -> str:
    about = element("chToy", KEY) + element("tpEvento", event_type) + element("nSeqEvento", str(sequence))
    event = f'<eventoToy versao="3.01"><infEvento>{about}</infEvento>{nfe.SIGNATURE}</eventoToy>'
    receipt = event_receipt(event_type=event_type, sequence=sequence)
    written = f'<procEventoToy versao="3.01">{event}{receipt}</procEventoToy>'
    return f'<procEventoToy versao="3.01">{written}</procEventoToy>' if is_nested else written


def status(code: str = "107", text: str = "Serviço em operação") -> bytes:
    return message("retConsStatServToy", verdict(code, text) + "<tMed>1</tMed>").encode()


def distribution(code: str = "138", text: str = "Documento localizado", inside: str = "") -> bytes:
    places = "<ultNSU>000000000000150</ultNSU><maxNSU>000000000000200</maxNSU>"
    return message("retDistDFeInt", verdict(code, text) + places + inside).encode()
