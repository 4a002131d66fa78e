"""The resource of the data environment (ADN) from which taxpayers fetch their notes and events, by NSU.

Names and shapes are those of the contract at adn.nfse.gov.br/contribuintes/docs, and of real answers where
they differ: 404 says that there is nothing, with E2220 instead of the E2215 of Anexo IV.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from carimbo.simulator.distribution_sequence import DistributionEntry, DistributionSequence
from carimbo.simulator.family import PRODUCTION, CallReply
from carimbo.simulator.http import TEXT, Reply
from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.limits import count_use, limit_reached
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import ErrorEntry
from carimbo.simulator.nfse.call import ResourceCall, pack_xml
from carimbo.simulator.nfse.distribution_sequence import FAMILY, NOTE
from carimbo.simulator.rules import AuthorityVerdict

_NSU = re.compile("[0-9]{1,18}")
_FLAGS = {"true": True, "false": False}
_LOCATED, _NOTHING, _REFUSED = "DOCUMENTOS_LOCALIZADOS", "NENHUM_DOCUMENTO_LOCALIZADO", "REJEICAO"
_NONE_AFTER = ErrorEntry(
    "E2220",
    "Nenhum documento localizado - não existem documentos fiscais para o Contribuinte a partir do NSU"
    " informado.",
)
_NONE_AT = ErrorEntry.of(AuthorityVerdict("E2230"))
_OTHER_BASE = ErrorEntry("E2243", "O CNPJ da consulta não tem a mesma raiz do CNPJ do certificado digital.")
"""The code of real answers; the text is ours, as Anexo IV lacks it."""
_ALWAYS = datetime.min.replace(tzinfo=UTC)
_FOUND = "200"
_TOO_MANY = "429"
_EVENT_NAMES = {
    "101101": "CANCELAMENTO",
    "101103": "SOLICITACAO_CANCELAMENTO_ANALISE_FISCAL",
    "105102": "CANCELAMENTO_POR_SUBSTITUICAO",
    "202201": "CONFIRMACAO_PRESTADOR",
    "203202": "CONFIRMACAO_TOMADOR",
    "204203": "CONFIRMACAO_INTERMEDIARIO",
    "202205": "REJEICAO_PRESTADOR",
    "203206": "REJEICAO_TOMADOR",
    "204207": "REJEICAO_INTERMEDIARIO",
}
"""`TipoEvento` of every type of event in the simulator."""


def read_documents(call: ResourceCall) -> CallReply:
    """Returns the documents after an NSU (`lote`, the default), or the one with that NSU."""
    nsu, flag = call.parameters["nsu"], call.query.get("lote", "true")
    in_batches = _FLAGS.get(flag.lower())
    if not _NSU.fullmatch(nsu):
        return answers.wrong_request({"NSU": [f"The value '{nsu}' is not valid."]})
    if in_batches is None:
        return answers.wrong_request({"lote": [f"The value '{flag}' is not valid."]})

    owner = call.sender.owner if call.sender else ""
    taxpayer = call.query.get("cnpjconsulta") or owner
    if tax_id_base(taxpayer) != tax_id_base(owner):
        return reject(call, [_OTHER_BASE])
    context, environment = call.context, call.service_path.environment
    subject = f"distribuição no ambiente {environment}"
    if limit_reached(context, taxpayer, FAMILY, subject, context.controls.nfse_queries_per_hour):
        return CallReply(Reply(429, b"Too Many Requests", TEXT), _TOO_MANY, "Too Many Requests")
    count_use(context, taxpayer, FAMILY, subject)

    sequence = DistributionSequence(context.store, environment, FAMILY)
    entries = (
        sequence.after(taxpayer, int(nsu), _ALWAYS, context.controls.distribution_page)
        if in_batches
        else sequence.at(taxpayer, int(nsu), _ALWAYS)
    )
    if not entries:
        return _error(call, 404, _NOTHING, [_NONE_AFTER if in_batches else _NONE_AT])
    body = _envelope(call, _LOCATED, documents=[_document(entry) for entry in entries])
    return CallReply(answers.reply(200, body), _FOUND, _LOCATED)


def reject(call: ResourceCall, errors: Sequence[ErrorEntry], status: int = 400) -> CallReply:
    """Refuses a query with a list of errors."""
    return _error(call, status, _REFUSED, errors)


def _error(call: ResourceCall, status: int, processing: str, errors: Sequence[ErrorEntry]) -> CallReply:
    entries: list[dict[str, Any]] = [
        {"Mensagem": {}} | {name.capitalize(): text for name, text in error.to_json().items()}
        for error in errors
    ]
    text = " ".join(error.text for error in errors)
    return CallReply(answers.reply(status, _envelope(call, processing, errors=entries)), errors[0].code, text)


def _envelope(
    call: ResourceCall,
    processing: str,
    documents: Sequence[Mapping[str, Any]] = (),
    errors: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The fields of every answer; there is no highest NSU among them."""
    head = answers.envelope(call)
    is_production = call.service_path.environment == PRODUCTION
    return {
        "StatusProcessamento": processing,
        "LoteDFe": documents,
        "Alertas": [],
        "Erros": errors,
        "TipoAmbiente": "PRODUCAO" if is_production else "HOMOLOGACAO",
        "VersaoAplicativo": head["versaoAplicativo"],
        "DataHoraProcessamento": head["dataHoraProcessamento"],
    }


def _document(entry: DistributionEntry) -> dict[str, Any]:
    """An entry of `LoteDFe`; only events have a `TipoEvento`."""
    is_note = entry.schema == NOTE
    event = {} if is_note else {"TipoEvento": _EVENT_NAMES[entry.schema]}
    return {
        "NSU": entry.nsu,
        "ChaveAcesso": entry.access_key,
        "TipoDocumento": NOTE if is_note else "EVENTO",
        **event,
        "ArquivoXml": pack_xml(entry.xml),
        "DataHoraGeracao": _moment(entry.created_at),
    }


def _moment(moment: datetime) -> str:
    """The time of Brasília without an offset; like .NET, without zeros at the end of the fraction."""
    local = answers.brasilia_time(moment).replace(tzinfo=None)
    return local.isoformat(timespec="milliseconds").rstrip("0").removesuffix(".")
