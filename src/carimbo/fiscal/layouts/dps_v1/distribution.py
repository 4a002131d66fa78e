"""Answers of the distribution of NFS-e and events of interest to a taxpayer (ADN, GET /DFe/{NSU}).

The service names neither the last nor the highest number of the sequence, and publishes no limit for the
number of documents in a page. Only an answer without documents shows that there are no more.
"""

import re

from carimbo.fiscal.distribution import (
    POSSIBLE_PAGE,
    DistributedDocument,
    DistributionAnswer,
    DistributionPage,
    UnreadablePage,
)
from carimbo.fiscal.layouts.dps_v1.answer_part import JsonPart, read_object
from carimbo.fiscal.layouts.dps_v1.refusals import read_refused_page
from carimbo.fiscal.outcome import Cause, NotJudged, unexpected

_OK = 200
# "There are no documents" comes with 404, and from some installations with 200 or 400.
_STATUSES_OF_PAGES = frozenset({_OK, 400, 404})
_HAS_DOCUMENTS, _NOTHING_NEW = "DOCUMENTOS_LOCALIZADOS", "NENHUM_DOCUMENTO_LOCALIZADO"
# As much as the transport accepts: a page has up to 50 packed documents.
_MAX_BODY_BYTES = 10 * 1024 * 1024
_NSU = re.compile(r"[0-9]{1,18}")


def read_distribution(status: int, body: bytes) -> DistributionAnswer:
    """Reads a page; `Rejected` is about the query itself."""
    answer = read_object(body, _MAX_BODY_BYTES)
    if status in _STATUSES_OF_PAGES and isinstance(answer, JsonPart):
        state = answer.text("StatusProcessamento")
        if state == _NOTHING_NEW:
            return _page(answer, body, ())
        if state == _HAS_DOCUMENTS and status == _OK:
            return _page_with_documents(answer, body)
    refused = read_refused_page(status, body)
    if status != _OK or not isinstance(refused, NotJudged) or refused.code is not None:
        return refused
    cause = answer.cause if isinstance(answer, NotJudged) else Cause.UNEXPECTED_ANSWER
    return UnreadablePage(refused, body) if cause in POSSIBLE_PAGE else refused


def read_page(body: bytes) -> DistributionAnswer:
    """Reads a page again."""
    return read_distribution(_OK, body)


def _page_with_documents(answer: JsonPart, body: bytes) -> DistributionPage | UnreadablePage:
    documents = tuple(
        DistributedDocument(_nsu(part), part.text("TipoDocumento"), part.packed("ArquivoXml"))
        for part in answer.parts("LoteDFe")
    )
    if not documents:
        return UnreadablePage(unexpected("documentos localizados, mas nenhum na resposta"), body)
    if all(document.nsu is None for document in documents):
        return UnreadablePage(unexpected("documentos sem NSU legível"), body)
    return _page(answer, body, documents)


def _nsu(part: JsonPart) -> int | None:
    text = part.matching("NSU", _NSU)
    return int(text) if text else None


def _page(answer: JsonPart, body: bytes, documents: tuple[DistributedDocument, ...]) -> DistributionPage:
    """Returns a page; one without documents has the number 0, because the answer does not repeat it."""
    last = max((document.nsu or 0 for document in documents), default=0)
    return DistributionPage(
        code=answer.text("StatusProcessamento"),
        message=f"{len(documents)} documentos" if documents else "Nenhum documento localizado",
        last_nsu=last,
        max_nsu=last,
        documents=documents,
        is_last=not documents,
        body=body,
    )
