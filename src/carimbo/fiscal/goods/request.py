"""The request fields that NF-e and NFC-e share, and the parts of the document composed from them."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Body, Cfop, CityCode, ExternalId, Money, Notes, Text
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.freight import FreightBody, transport_group
from carimbo.fiscal.goods.item_body import MAX_DESCRIPTION_LENGTH, ItemBody
from carimbo.fiscal.goods.item_taxes import ItemTaxation
from carimbo.fiscal.goods.items import Charges, charges_of, compose_item
from carimbo.fiscal.goods.legal_texts import (
    simples_legends,
    taxes_by_sphere,
    warn_of_missing_taxes,
    with_legal_texts,
)
from carimbo.fiscal.goods.net_price import with_gross_prices
from carimbo.fiscal.goods.payments import (
    ACCEPTED_METHODS,
    PaymentBody,
    PaymentMethodCode,
    contradicts_payments,
    payment_group,
    single_payment,
)
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.unsupported_groups import PAYMENT_LINKS, unsupported_field_message
from carimbo.fiscal.identity.access_key import AccessKey, document_id
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.layouts.filling import in_homologation
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.additional import AdditionalInformation, Intermediary, Observation, Process
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.recipient import ReaderBody, RecipientBody, reader_group
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.taxes.trade import Trade

MAX_ITEMS = 990
_OWN_SOFTWARE = "0"


# Distance sales declare whether there is an intermediary, such as a marketplace (NT 2020.006, B25c-10).
_MAY_BE_INTERMEDIATED = (Presence.INTERNET, Presence.PHONE, Presence.DELIVERY, Presence.OTHER)


SOLD_QUANTITIES: dict[str, Any] = {
    "properties": {"items": {"items": {"properties": {"quantity": {"exclusiveMinimum": 0}}}}}
}
"""JSON Schema of the items of a sale, whose quantities are above zero; a complement may have zero."""


class GoodsRequest(Body):
    """The fields that requests of NF-e and NFC-e share."""

    refused_names: ClassVar[Mapping[str, str]] = {"paymentLinks": unsupported_field_message(*PAYMENT_LINKS)}

    # A list, because pydantic also reports a tuple as too short if all of its items are invalid.
    items: Annotated[list[ItemBody], Field(min_length=1, max_length=MAX_ITEMS)] = Field(
        description="Itens vendidos, de 1 a 990 (det)."
    )
    recipient: RecipientBody | None = Field(
        default=None,
        description=(
            "Comprador, se identificado; o que falta vem do cliente do catálogo com o mesmo taxId (dest)."
        ),
    )
    nature: Annotated[Text, StringConstraints(max_length=60)] = Field(
        default="VENDA DE MERCADORIA",
        description="Natureza da operação; na falta, VENDA DE MERCADORIA (natOp).",
    )
    cfop: Cfop | None = Field(
        default=None,
        description="CFOP dos itens que não têm o seu; na falta, o usual da empresa para o destino.",
        examples=["5102"],
    )
    issue_date: IsoDay | None = Field(
        default=None,
        description="Data e hora de emissão; sem fuso, no da empresa; na falta, ou com o dia de hoje, agora"
        " (dhEmi).",
        examples=["2026-11-14T10:00:00-03:00"],
    )
    external_id: ExternalId | None = Field(
        default=None,
        description="Identificador no sistema de quem chama; o mesmo não cria um segundo documento.",
    )
    presence: Presence | None = Field(
        default=None,
        description=(
            "Presença do comprador (indPres): inPerson (presencial), internet, phone (telefone), delivery"
            " (entrega), outside (fora da loja), other (a distância) ou none; na falta, `defaults.presence`"
            " da empresa, ou inPerson, com aviso."
        ),
    )
    ibs_taxable_city_code: CityCode | None = Field(
        default=None, description="Código IBGE do município do fato gerador de IBS e CBS (cMunFGIBS)."
    )
    payment_method: PaymentMethodCode | None = Field(
        default=None,
        description=(
            "Meio de pagamento do total, sem `payments`; na falta, `defaults.paymentMethod`, ou dinheiro, com"
            f" aviso: {ACCEPTED_METHODS}."
        ),
    )
    payments: Annotated[tuple[PaymentBody, ...], Field(max_length=100)] = Field(
        default=(), description="Pagamentos; na falta, um só do valor total do documento (detPag)."
    )
    change: Money | None = Field(default=None, description="Troco, em reais (vTroco).")
    freight: FreightBody | None = Field(
        default=None, description="Frete e transporte; na falta, sem frete (transp)."
    )
    insurance: Money | None = Field(
        default=None,
        description="Seguro, em reais, repartido pelo preço dos itens; não se usa com `items[].insurance`.",
    )
    other: Money | None = Field(
        default=None,
        description="Outras despesas, em reais, repartidas como o desconto; não se usa com `items[].other`.",
    )
    discount: Money | None = Field(
        default=None,
        description="Desconto, em reais, repartido pelo preço dos itens; não se usa com `items[].discount`.",
    )
    intermediary: Intermediary | None = Field(
        default=None, description="Plataforma que intermediou a venda a distância (infIntermed)."
    )
    authorized_readers: Annotated[tuple[ReaderBody, ...], Field(max_length=10)] = Field(
        default=(), description="Quem mais pode baixar o XML (autXML)."
    )
    notes: Annotated[Notes, StringConstraints(max_length=5000)] | None = Field(
        default=None,
        description="Informações complementares, ao comprador; a nota acrescenta os textos da lei (infCpl).",
    )
    authority_notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Informações de interesse do fisco (infAdFisco)."
    )
    observations: Annotated[tuple[Observation, ...], Field(max_length=10)] = Field(
        default=(), description="Observações de uso livre (obsCont)."
    )
    processes: Annotated[tuple[Process, ...], Field(max_length=100)] = Field(
        default=(), description="Processos que amparam a operação (procRef)."
    )


def identification_group(
    body: GoodsRequest, company: Company, emission: Emission, software: Software, key: AccessKey, **own: Any
) -> Identification:
    """Returns the identification (`ide`): fields that both types share, and `own` fields of the type."""
    contingency = emission.contingency
    values = {
        "state_code": key.state_code,
        "numeric_code": emission.numeric_code,
        "nature": body.nature,
        "model": key.model,
        "series": emission.series,
        "number": emission.number,
        "issued_at": emission.issued_at,
        "taxable_city_code": company.address.city_code or "",
        "emission_type": emission.type,
        "check_digit": key.check_digit,
        "environment": emission.environment.code,
        "ibs_taxable_city_code": body.ibs_taxable_city_code,
        "issuing_process": _OWN_SOFTWARE,
        "software_version": software.name,
        "contingency_started_at": contingency.started_at if contingency else None,
        "contingency_reason": contingency.reason if contingency else None,
    }
    return construct(Identification, values | own)


def presence_fields(body: GoodsRequest, presence: Presence) -> dict[str, str | None]:
    """Returns `indPres`, and `indIntermed`: whether there is an intermediary, such as a marketplace."""
    without_intermediary = "0" if presence in _MAY_BE_INTERMEDIATED else None
    return {"presence": presence.code, "intermediation": "1" if body.intermediary else without_intermediary}


def compose_items(
    body: GoodsRequest, trade: Trade, cfop: str, findings: Findings, first_description: str | None = None
) -> tuple[Item, ...]:
    """Returns all items of the document; missing values are added to the findings."""
    descriptions = [item.description for item in body.items]
    if first_description:
        fixed = findings.attempt(
            in_homologation,
            first_description,
            descriptions[0],
            MAX_DESCRIPTION_LENGTH,
            "items[0].description",
        )
        descriptions[0] = fixed or first_description
    items = with_gross_prices(body.items, trade, cfop, findings)
    freight = body.freight.amount if body.freight else None
    has_charges = freight or body.insurance or body.other or body.discount
    shared = Charges(freight, body.insurance, body.other, body.discount) if has_charges else None
    charges = findings.attempt(charges_of, items, shared) if shared else None
    charges_or_items: Sequence[ItemBody | Charges] = charges or items
    parts = zip(items, descriptions, charges_or_items, strict=True)
    taxation = ItemTaxation(trade, findings)
    return tuple(
        [
            compose_item(item, position, cfop, description, charged, taxation)
            for position, (item, description, charged) in enumerate(parts)
        ]
    )


def compose_payments(body: GoodsRequest, amount: Decimal, usual_method: str, findings: Findings) -> Payments:
    """Returns the given payments, or one payment of the whole amount by the usual method."""
    if contradicts_payments(body.payment_method, body.payments):
        findings.add_warning("paymentMethod: Não é o meio de nenhum dos payments, e valem os payments.")
    payments = tuple(map(payment_group, body.payments)) or (single_payment(usual_method, amount),)
    return Payments(payments=payments, change=body.change)


def compose_notes(body: GoodsRequest, items: Sequence[Item], trade: Trade, findings: Findings) -> str | None:
    """Returns the notes (`infCpl`): those of the request, and the texts that laws require.

    Nothing is added to a receipt that was printed already: the document has to match the paper.
    """
    if trade.is_printed:
        return body.notes
    warn_of_missing_taxes(items, trade, findings)
    taxes = taxes_by_sphere(body.items, items, trade)
    texts = [*((taxes,) if taxes else ()), *simples_legends(trade.company, items)]
    return with_legal_texts(body.notes, texts, findings)


def shared_parts(body: GoodsRequest, software: Software, key: AccessKey, notes: str | None) -> dict[str, Any]:
    """Returns the parts that both types share outside of `ide`, by their names in the layout."""
    additional = None
    if body.authority_notes or notes or body.observations or body.processes:
        additional = AdditionalInformation(
            authority_notes=body.authority_notes,
            notes=notes,
            observations=body.observations,
            processes=body.processes,
        )
    return {
        "id": document_id(key),
        "authorized_readers": tuple(map(reader_group, body.authorized_readers)),
        "transport": transport_group(body.freight),
        "intermediary": body.intermediary,
        "additional": additional,
        "technical_responsible": software.responsible_for(key),
    }
