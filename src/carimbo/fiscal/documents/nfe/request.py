"""The body of a request for an NF-e."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day, IsoDay
from carimbo.fiscal.body.fields import Coded, Flag
from carimbo.fiscal.goods.request import SOLD_QUANTITIES, GoodsRequest
from carimbo.fiscal.layouts.nfe_v4.additional import Export, Farming, Purchase, SugarCane
from carimbo.fiscal.layouts.nfe_v4.identification import (
    AdvancePayment,
    GovernmentPurchase,
    ReferencedDocument,
)
from carimbo.fiscal.layouts.nfe_v4.payment import Billing
from carimbo.fiscal.layouts.nfe_v4.totals import WithheldTaxes
from carimbo.fiscal.parties.recipient import IDENTIFIED, PlaceBody, RecipientBody


class Purpose(Coded):
    """The purpose of the document (`finNFe`)."""

    NORMAL = "normal", "1"
    COMPLEMENT = "complement", "2"
    ADJUSTMENT = "adjustment", "3"
    RETURN = "return", "4"
    CREDIT = "credit", "5"
    DEBIT = "debit", "6"


class OperationDirection(Coded):
    """The direction of the goods (`tpNF`)."""

    OUTBOUND = "outbound", "1"
    INBOUND = "inbound", "0"


class Destination(Coded):
    """The destination of the goods (`idDest`)."""

    INTERNAL = "internal", "1"
    INTERSTATE = "interstate", "2"
    ABROAD = "abroad", "3"


_IS_SALE: dict[str, Any] = {
    "properties": {
        "operation": {"enum": [OperationDirection.OUTBOUND.value, None]},
        "purpose": {"enum": [Purpose.NORMAL.value, None]},
    }
}


class NfeRequest(GoodsRequest):
    """An NF-e to issue: recipient and items are required, everything else has defaults."""

    model_config = ConfigDict(json_schema_extra={"if": _IS_SALE, "then": SOLD_QUANTITIES})

    recipient: Annotated[RecipientBody, IDENTIFIED] = Field(
        description="Destinatário; o que falta vem do cliente do catálogo com o mesmo taxId (dest)."
    )
    final_consumer: Flag | None = Field(
        default=None,
        description="Se o comprador é consumidor final; na falta, quem não é contribuinte o é (indFinal).",
    )
    destination: Destination | None = Field(
        default=None,
        description=(
            "Destino da operação (idDest): internal (mesma UF), interstate (outra UF) ou abroad (exterior);"
            " na falta, pelos endereços de quem vende e de quem compra, e internal na venda a estrangeiro na"
            " loja."
        ),
    )
    operation: OperationDirection = Field(
        default=OperationDirection.OUTBOUND,
        description="Tipo da operação (tpNF): outbound (saída), o padrão, ou inbound (entrada).",
    )
    purpose: Purpose = Field(
        default=Purpose.NORMAL,
        description=(
            "Finalidade (finNFe): normal, o padrão, complement (complementar), adjustment (ajuste), return"
            " (devolução), credit (nota de crédito) ou debit (nota de débito)."
        ),
    )
    debit_type: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")] | None = Field(
        default=None, description="Tipo da nota de débito, com `purpose` debit (tpNFDebito)."
    )
    credit_type: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")] | None = Field(
        default=None, description="Tipo da nota de crédito, com `purpose` credit (tpNFCredito)."
    )
    supply_place_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None, description="Indicador do local de fornecimento, para IBS e CBS (cIndOp)."
    )
    departed_at: IsoDay | None = Field(
        default=None,
        description="Data e hora de saída ou de entrada da mercadoria; sem fuso, no da empresa (dhSaiEnt).",
    )
    expected_delivery_date: Day | None = Field(
        default=None, description="Data prevista da entrega (dPrevEntrega)."
    )
    references: Annotated[tuple[ReferencedDocument, ...], Field(max_length=999)] = Field(
        default=(),
        description="Documentos que este devolve, complementa ou acompanha (NFref).",
    )
    government_purchase: GovernmentPurchase | None = Field(
        default=None, description="Compra por ente público, que reduz IBS e CBS (gCompraGov)."
    )
    advance_payment: AdvancePayment | None = Field(
        default=None, description="Notas dos pagamentos antecipados (gPagAntecipado)."
    )
    billing: Billing | None = Field(default=None, description="Fatura e duplicatas (cobr).")
    pickup_address: PlaceBody | None = Field(
        default=None, description="Local de retirada, se não é o endereço de quem vende (retirada)."
    )
    delivery_address: PlaceBody | None = Field(
        default=None, description="Local de entrega, se não é o endereço do destinatário (entrega)."
    )
    export: Export | None = Field(default=None, description="Local de saída do país (exporta).")
    purchase: Purchase | None = Field(
        default=None, description="Empenho, pedido e contrato do comprador (compra)."
    )
    sugar_cane: SugarCane | None = Field(
        default=None, description="Fornecimento mensal de cana-de-açúcar (cana)."
    )
    farming: Farming | None = Field(
        default=None, description="Receituário de defensivos e guia de trânsito (agropecuario)."
    )
    withheld_taxes: WithheldTaxes | None = Field(
        default=None, description="Tributos federais retidos pelo comprador (retTrib)."
    )
