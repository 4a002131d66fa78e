"""Shared parts of reading documents: the filters of lists, and a record with its request."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Query, Response

from carimbo.api.context import search_parameter
from carimbo.api.envelope import success
from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Text
from carimbo.fiscal.lifecycle import Status
from carimbo.service.documents import queries
from carimbo.service.documents.queries import DocumentQuery, DocumentReference
from carimbo.service.json_values import write_json
from carimbo.storage.database import Database

# Beyond all numbers that authorities allow, and within the database's integers.
_LAST_NUMBER = 10**15 - 1
_LAST_SERIES = 99_999
_DATES = "dia ou data e hora; sem fuso, no horário da empresa"

Included = Annotated[
    Literal["request"] | None,
    Query(
        description="`request` traz também o corpo como foi enviado, com as correções de PATCH e"
        " com os números como foram escritos."
    ),
]


_OfStatus = Annotated[Status | None, Query(description="Só os deste status.")]
_CreatedFrom = Annotated[
    IsoDay | None,
    Query(alias="startDate", description=f"Criados desde: {_DATES}.", examples=["2026-03-10"]),
]
_CreatedUntil = Annotated[
    IsoDay | None,
    Query(
        alias="endDate",
        description=f"Criados até: {_DATES}. Um dia conta inteiro.",
        examples=["2026-03-10T18:00:00-03:00"],
    ),
]
_OfExternalId = Annotated[Text | None, Query(alias="externalId", max_length=100)]
_OfSale = Annotated[UUID | None, Query(alias="saleId", description="Só os da venda.")]
_OfRecipient = Annotated[
    Text | None,
    Query(
        alias="recipientTaxId",
        max_length=20,
        description="CPF ou CNPJ do destinatário ou tomador, com ou sem pontuação.",
    ),
]
_OfAccessKey = Annotated[
    Text | None,
    Query(
        alias="accessKey",
        max_length=80,
        description="Chave de acesso, com ou sem espaços e o NFe do Id do XML.",
    ),
]
_OfNumber = Annotated[
    int | None,
    Query(
        ge=1,
        le=_LAST_NUMBER,
        description="Número do documento; o de uma NFS-e ainda sem número é o da sua DPS.",
    ),
]
_OfSeries = Annotated[
    int | None, Query(ge=0, le=_LAST_SERIES, description="Série; a de uma NFS-e é a da sua DPS.")
]
_Search = Annotated[
    str,
    search_parameter(
        "Começo de palavras do nome do destinatário, ou número, chave de acesso, CPF, CNPJ ou externalId"
        " inteiros",
        "maria sil",
    ),
]


async def _query(
    status: _OfStatus = None,
    start_date: _CreatedFrom = None,
    end_date: _CreatedUntil = None,
    external_id: _OfExternalId = None,
    sale_id: _OfSale = None,
    recipient_tax_id: _OfRecipient = None,
    access_key: _OfAccessKey = None,
    number: _OfNumber = None,
    series: _OfSeries = None,
    search: _Search = "",
) -> DocumentQuery:
    return DocumentQuery(
        status=status,
        start_date=start_date,
        end_date=end_date,
        external_id=external_id,
        sale_id=sale_id,
        recipient_tax_id=recipient_tax_id,
        access_key=access_key,
        number=number,
        series=series,
        search=search,
    )


RequestedDocuments = Annotated[DocumentQuery, Depends(_query)]


async def read_one(database: Database, reference: DocumentReference, include: Included) -> Response:
    """Returns a document and, if requested, the body that it was made from."""
    if include is None:
        return success(await queries.read_document(database, reference))
    record, request = await queries.read_document_and_request(database, reference)
    # The framework would turn the numbers of the body into floats.
    data = {**record.model_dump(mode="json"), "request": request}
    return Response(write_json({"success": True, "data": data}), media_type="application/json")
