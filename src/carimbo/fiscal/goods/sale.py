"""What the bodies of NF-e and NFC-e share, and the parts of the document that are made of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import Field, StringConstraints

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.company import Company
from carimbo.fiscal.date_fields import IsoDay
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.fields import Body, Cfop, CityCode, ExternalId, Money, Notes, Text
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.goods.approximate_taxes import taxes_by_sphere, warn_of_missing_taxes
from carimbo.fiscal.goods.charges import Charges, charges_of
from carimbo.fiscal.goods.freight import FreightBody, transport
from carimbo.fiscal.goods.item_body import LONGEST_DESCRIPTION, ItemBody
from carimbo.fiscal.goods.items import compose_item
from carimbo.fiscal.goods.legal_text import with_legal_texts
from carimbo.fiscal.goods.net_price import with_prices
from carimbo.fiscal.goods.newer_schema import PAYMENT_LINKS, refused_by_name
from carimbo.fiscal.goods.parties import reader
from carimbo.fiscal.goods.payments import (
    METHODS_TAKEN,
    Method,
    PaymentBody,
    contradicts,
    payment,
    whole_payment,
)
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.simples_legends import simples_legends
from carimbo.fiscal.goods.tax_day import trade_of_item
from carimbo.fiscal.homologation import in_homologation
from carimbo.fiscal.ids import document_id
from carimbo.fiscal.layouts.nfe_v4.additional import AdditionalInformation, Intermediary, Observation, Process
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.layouts.records import made
from carimbo.fiscal.parties import ReaderBody, RecipientBody
from carimbo.fiscal.software import Software
from carimbo.fiscal.taxes.trade import Trade

MOST_ITEMS = 990
_OWN_SOFTWARE = "0"


# Sales at a distance say whether a marketplace stands between (NT 2020.006, rule B25c-10).
_MAY_BE_INTERMEDIATED = (Presence.INTERNET, Presence.PHONE, Presence.DELIVERY, Presence.OTHER)


SOLD_QUANTITIES: dict[str, Any] = {
    "properties": {"items": {"items": {"properties": {"quantity": {"exclusiveMinimum": 0}}}}}
}
"""JSON Schema of a sale's items, whose quantities are above zero; a complement may have none."""


class SaleBody(Body):
    """The fields that a sale of goods has in either document."""

    refused_names: ClassVar[Mapping[str, str]] = {"paymentLinks": refused_by_name(*PAYMENT_LINKS)}

    # Of a tuple, pydantic would also tell that it is too short when all that is in it is wrong.
    items: Annotated[list[ItemBody], Field(min_length=1, max_length=MOST_ITEMS)] = Field(
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
    payment_method: Method | None = Field(
        default=None,
        description=(
            "Meio de pagamento do total, sem `payments`; na falta, `defaults.paymentMethod`, ou dinheiro, com"
            f" aviso: {METHODS_TAKEN}."
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


def identification(
    body: SaleBody, company: Company, emission: Emission, software: Software, key: AccessKey, **own: Any
) -> Identification:
    """`ide`: what both documents say alike, and what a type has of its own."""
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
    return made(Identification, values | own)


def presence_fields(body: SaleBody, presence: Presence) -> dict[str, str | None]:
    """Returns `indPres`, and `indIntermed`: whether a marketplace stands between the parties."""
    without_intermediary = "0" if presence in _MAY_BE_INTERMEDIATED else None
    return {"presence": presence.code, "intermediation": "1" if body.intermediary else without_intermediary}


def compose_items(
    body: SaleBody, trade: Trade, cfop: str, findings: Findings, first_description: str | None = None
) -> tuple[Item, ...]:
    """All lines of the document; what is missing in them joins the findings."""
    descriptions = [item.description for item in body.items]
    if first_description:
        fixed = findings.tried(_in_homologation, first_description, descriptions[0])
        descriptions[0] = fixed or first_description
    items = with_prices(body.items, trade, cfop, findings)
    shared = _charges_of_the_document(body)
    charges = findings.tried(charges_of, items, shared) if shared else None
    charged_with: Sequence[ItemBody | Charges] = charges or items
    parts = zip(items, descriptions, charged_with, strict=True)
    return tuple(
        [
            compose_item(item, position, trade_of_item(item, trade), cfop, description, charged, findings)
            for position, (item, description, charged) in enumerate(parts)
        ]
    )


def _charges_of_the_document(body: SaleBody) -> Charges | None:
    freight = body.freight.amount if body.freight else None
    if not (freight or body.insurance or body.other or body.discount):
        return None
    return Charges(freight, body.insurance, body.other, body.discount)


def _in_homologation(fixed: str, description: str) -> str:
    return in_homologation(fixed, description, LONGEST_DESCRIPTION, "items[0].description")


def compose_payments(body: SaleBody, amount: Decimal, usual_method: str, findings: Findings) -> Payments:
    """The payments given, or the whole amount by the usual means."""
    if contradicts(body.payment_method, body.payments):
        findings.assumed("paymentMethod: Não é o meio de nenhum dos payments, e valem os payments.")
    paid = tuple(map(payment, body.payments)) or (whole_payment(usual_method, amount),)
    return Payments(payments=paid, change=body.change)


def compose_notes(body: SaleBody, items: Sequence[Item], trade: Trade, findings: Findings) -> str | None:
    """Returns the notes (`infCpl`): the caller's, and what the law wants a buyer to read.

    Nothing is added to a receipt that was printed before: the document says what the paper says.
    """
    if trade.is_printed:
        return body.notes
    warn_of_missing_taxes(items, trade, findings)
    shown_taxes = taxes_by_sphere(body.items, items, trade)
    legends = simples_legends(trade.company, items)
    return with_legal_texts(body.notes, [*((shown_taxes,) if shown_taxes else ()), *legends], findings)


def parts_of_both(body: SaleBody, software: Software, key: AccessKey, notes: str | None) -> dict[str, Any]:
    """What both documents say alike outside of `ide`, by the names that it has in the layout."""
    return {
        "id": document_id(key),
        "authorized_readers": tuple(map(reader, body.authorized_readers)),
        "transport": transport(body.freight),
        "intermediary": body.intermediary,
        "additional": _additional_information(body, notes),
        "technical_responsible": software.responsible_for(key),
    }


def _additional_information(body: SaleBody, notes: str | None) -> AdditionalInformation | None:
    if not (body.authority_notes or notes or body.observations or body.processes):
        return None
    return AdditionalInformation(
        authority_notes=body.authority_notes,
        notes=notes,
        observations=body.observations,
        processes=body.processes,
    )
