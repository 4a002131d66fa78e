"""The services of NF-e and NFC-e: how each is called, and who answers."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.fiscal.tables.endpoints import services_of
from carimbo.simulator.nfe import (
    authorization,
    consult,
    distribution,
    events,
    inutilization,
    receipts,
    registry_query,
    status,
)
from carimbo.simulator.nfe.answers import NAMESPACE, Answer, Verdict
from carimbo.simulator.nfe.call import Call
from carimbo.simulator.place import Place
from carimbo.simulator.soap import Wrapping
from carimbo.simulator.wsdl import Described, Operation

_ASKS, _ANSWERS, _ZIPPED = "nfeDadosMsg", "nfeResultMsg", "nfeDadosMsgZip"


class Desk(Protocol):
    """Who answers the calls of a service: a module of this package."""

    def answer(self, call: Call) -> Answer:
        """Judge what a message asks for."""

    def refuse(self, call: Call, verdict: Verdict) -> Answer:
        """Refuse what a message asks for, without judging it."""

    def refuse_message(self, call: Call, verdict: Verdict) -> Answer:
        """Refuse a message as a whole."""

    def subject(self, root: etree._Element) -> str:
        """What a message is about."""


@dataclass(frozen=True)
class Service:
    """One service."""

    name: str
    operation: str
    desk: Desk
    schema: Schema | None = None
    """None where an XSD is at hand for a part of the message only, or for nothing of it."""
    zipped_operation: str = ""
    around: tuple[str, str] | None = None
    """The operation's own elements, around those of the message and of the answer."""
    names_its_answer: bool = False
    """Whether the answer stands in an element of the operation's name."""

    @property
    def namespace(self) -> str:
        """Of what is around the messages."""
        return f"{NAMESPACE}/wsdl/{self.name}"

    @cached_property
    def wrapping(self) -> Wrapping:
        """What is around the messages."""
        if self.around:
            asks, answers = self.around
            return Wrapping(self.namespace, (asks, _ASKS), (answers, self._result))
        zipped = _ZIPPED if self.zipped_operation else ""
        return Wrapping(self.namespace, (_ASKS,), (self._answers,), zipped)

    @property
    def description(self) -> Described:
        """The service as its WSDL tells it."""
        operations = [Operation(self.operation, _ASKS, self._result if self.around else self._answers)]
        if self.zipped_operation:
            operations.append(Operation(self.zipped_operation, _ZIPPED, _ANSWERS, holds_text=True))
        return Described(self.name, self.namespace, operations, self.around)

    @property
    def _answers(self) -> str:
        return self._result if self.names_its_answer else _ANSWERS

    @property
    def _result(self) -> str:
        return f"{self.operation}Result"


_SERVICES = (
    Service(
        "NFeAutorizacao4",
        "nfeAutorizacaoLote",
        authorization,
        Schema.NFE_BATCH,
        zipped_operation="nfeAutorizacaoLoteZip",
    ),
    Service("NFeRetAutorizacao4", "nfeRetAutorizacaoLote", receipts, Schema.NFE_RECEIPT_QUERY),
    Service("NFeConsultaProtocolo4", "nfeConsultaNF", consult, Schema.NFE_DOCUMENT_QUERY),
    Service("NFeStatusServico4", "nfeStatusServicoNF", status, Schema.NFE_SERVICE_QUERY),
    Service("NFeInutilizacao4", "nfeInutilizacaoNF", inutilization, Schema.NFE_INUTILIZATION),
    Service("NFeRecepcaoEvento4", "nfeRecepcaoEvento", events),
    Service("CadConsultaCadastro4", "consultaCadastro", registry_query),
    Service(
        "NFeDistribuicaoDFe",
        "nfeDistDFeInteresse",
        distribution,
        Schema.NFE_DISTRIBUTION,
        around=("nfeDistDFeInteresse", "nfeDistDFeInteresseResponse"),
    ),
)
_NATIONAL_EVENTS = Service("NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", events, names_its_answer=True)
"""The national environment has another operation than the states."""

# Amazonas, Mato Grosso, Rio Grande do Sul and the SVRS have shorter names in their addresses.
_SHORTER = {"nfeconsulta4": "nfeconsultaprotocolo4", "recepcaoevento4": "nferecepcaoevento4"}
SERVICES = {service.name.lower(): service for service in _SERVICES}
"""By name in small letters, as addresses are compared."""


def service_at(place: Place, model: str) -> Service | None:
    """The service that a path names; None if the authority does not have it for a model."""
    name = place.service.lower().removesuffix(".asmx")
    service = SERVICES.get(_SHORTER.get(name, name))
    if place.rest or service is None or service.name not in services_of(model, place.authorizer):
        return None
    is_national = place.authorizer == NATIONAL and service.name == _NATIONAL_EVENTS.name
    return _NATIONAL_EVENTS if is_national else service
