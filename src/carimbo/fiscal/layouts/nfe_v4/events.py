"""Events of NF-e and NFC-e after their authorization: cancellation, correction and manifestations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.group import INLINE, attribute, child, group, integer, moment, text
from carimbo.fiscal.layouts.nfe_v4.dialect import CANCELLATION, CANCELLATION_BY_SUBSTITUTION, NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.events import SefazEvent, issue
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas import Schema, Schemas

_PROTOCOL = re.compile(r"[0-9]{15}|[0-9]{17}")

# The XSD takes this text with its accents or without them, and nothing else.
_CORRECTION_CONDITIONS = (
    "A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o do Convenio S/N, de 15 de"
    " dezembro de 1970 e pode ser utilizada para regularizacao de erro ocorrido na emissao de documento"
    " fiscal, desde que o erro nao esteja relacionado com: I - as variaveis que determinam o valor do"
    " imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade, valor da operacao ou"
    " da prestacao; II - a correcao de dados cadastrais que implique mudanca do remetente ou do"
    " destinatario; III - a data de emissao ou de saida."
)


@group("detEvento")
class Cancellation:
    """`detEvento` of 110111: the issuer cancels a document."""

    event_type = CANCELLATION
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 12, default="Cancelamento")
    protocol: str = text("nProt", 17)
    reason: str = text("xJust", 255, path="justification")


@group("detEvento")
class CancellationBySubstitution:
    """`detEvento` of 110112: an NFC-e of unknown outcome is replaced by one issued offline (NT 2018.004)."""

    event_type = CANCELLATION_BY_SUBSTITUTION
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 29, default="Cancelamento por substituicao")
    author_state_code: str = text("cOrgaoAutor", 2)
    author_type: str = text("tpAutor", 1, default="1")
    application_version: str = text("verAplic", 20)
    protocol: str = text("nProt", 17)
    reason: str = text("xJust", 255, path="justification")
    replaced_by: str = text("chNFeRef", 44, path="replacedByAccessKey")


@group("detEvento")
class Correction:
    """`detEvento` of 110110: a correction letter, which replaces earlier ones."""

    event_type = "110110"
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 17, default="Carta de Correcao")
    correction: str = text("xCorrecao", 1000)
    conditions: str = text("xCondUso", len(_CORRECTION_CONDITIONS), default=_CORRECTION_CONDITIONS)


@group("detEvento")
class OperationConfirmed:
    """`detEvento` of 210200: the recipient confirms the operation."""

    event_type = "210200"
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 23, default="Confirmacao da Operacao")


@group("detEvento")
class OperationAcknowledged:
    """`detEvento` of 210210: the recipient acknowledges the document and will confirm or deny it later."""

    event_type = "210210"
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 19, default="Ciencia da Operacao")


@group("detEvento")
class OperationUnknown:
    """`detEvento` of 210220: the recipient does not recognise the operation."""

    event_type = "210220"
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 27, default="Desconhecimento da Operacao")
    reason: str | None = text("xJust", 255, path="justification", default=None)


@group("detEvento")
class OperationNotPerformed:
    """`detEvento` of 210240: the operation was agreed but did not take place."""

    event_type = "210240"
    version: str = attribute("versao", 4, default="1.00")
    description: str = text("descEvento", 22, default="Operacao nao Realizada")
    reason: str = text("xJust", 255, path="justification")


Manifestation = OperationConfirmed | OperationAcknowledged | OperationUnknown | OperationNotPerformed
Detail = Cancellation | CancellationBySubstitution | Correction | Manifestation


@group("infEvento")
class EventInformation:
    """`infEvento`: the signed part of an event."""

    id: str = attribute("Id", 54)
    organ: str = text("cOrgao", 2)
    environment: str = text("tpAmb", 1)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    access_key: str = text("chNFe", 44)
    occurred_at: datetime = moment("dhEvento")
    event_type: str = text("tpEvento", 6)
    sequence: int = integer("nSeqEvento")
    version: str = text("verEvento", 4, default="1.00")
    detail: Detail = child("detEvento", path=INLINE)


@dataclass(frozen=True, slots=True)
class InvoiceEvent(SefazEvent[Detail]):
    """An event of an NF-e or NFC-e."""

    dialect = NFE_DIALECT

    def information(self) -> EventInformation:
        """Returns the part that is signed."""
        return EventInformation(**self.heading, detail=self.detail)


# nfelib has no XSD of the cancellation by substitution.
_SCHEMAS: dict[str, Schema] = {
    Cancellation.event_type: Schema.NFE_CANCELLATION,
    Correction.event_type: Schema.NFE_CORRECTION,
    OperationConfirmed.event_type: Schema.NFE_MANIFESTATION,
    OperationAcknowledged.event_type: Schema.NFE_MANIFESTATION,
    OperationUnknown.event_type: Schema.NFE_MANIFESTATION,
    OperationNotPerformed.event_type: Schema.NFE_MANIFESTATION,
}
_MIN_REASON_LENGTH = 15


def issue_event(event: InvoiceEvent, signer: Signer, schemas: Schemas) -> bytes | tuple[Problem, ...]:
    """Signs an event and checks it, or returns everything that is wrong with it."""
    schema = _SCHEMAS.get(event.detail.event_type)

    def check(root: etree._Element) -> tuple[Problem, ...]:
        if schema is None:
            return tuple(_without_schema(event.detail))
        return schemas.problems(schema, root, EventInformation)

    return issue(event, signer, check)


def _without_schema(detail: Detail) -> Iterator[Problem]:
    """Yields the problems that an XSD would report, for events without one."""
    if len(getattr(detail, "reason", "") or "") < _MIN_REASON_LENGTH:
        message = f"A justificativa tem menos de {_MIN_REASON_LENGTH} caracteres."
        yield Problem(SCHEMA_PROBLEM, "justification", message)
    if not _PROTOCOL.fullmatch(getattr(detail, "protocol", "")):
        yield Problem(SCHEMA_PROBLEM, "protocol", "O protocolo tem 15 ou 17 algarismos.")
