"""The service of a normal or substituting CT-e (`infCTeNorm`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.air import Air
from carimbo.fiscal.layouts.cte_v4.cargo import Cargo, CargoDocuments
from carimbo.fiscal.layouts.cte_v4.multimodal import Multimodal
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.layouts.cte_v4.rail import Rail
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.water import Water
from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    INLINE,
    attribute,
    child,
    children,
    day,
    decimal,
    group,
    text,
    variant,
)


@group("idDocAntPap")
class PreviousPaper:
    """`idDocAntPap`: an earlier transport document on paper."""

    type: str = text("tpDoc", 2)
    series: str = text("serie", 3)
    subseries: str | None = text("subser", 2, default=None)
    number: str = text("nDoc", 30)
    issue_date: date = day("dEmi")


@group("idDocAntEle")
class PreviousWaybill:
    """`idDocAntEle`: an earlier CT-e."""

    access_key: str = text("chCTe", 44, path=INLINE)


@group("idDocAnt")
class PreviousDocuments:
    """`idDocAnt`: earlier transport documents of one issuer, on paper or electronic."""

    papers: tuple[PreviousPaper, ...] = children("idDocAntPap", ANY_NUMBER, default=())
    access_keys: tuple[PreviousWaybill, ...] = children("idDocAntEle", ANY_NUMBER, default=())


@group("emiDocAnt")
class PreviousIssuer:
    """`emiDocAnt`: a carrier that transported the cargo before, with its documents."""

    cnpj: str | None = text("CNPJ", 14, path="issuer.taxId", default=None, may_be_empty=True)
    cpf: str | None = text("CPF", 11, path="issuer.taxId", default=None)
    state_registration: str | None = text("IE", 14, path="issuer.stateRegistration", default=None)
    state: str | None = text("UF", 2, path="issuer.state", default=None)
    name: str = text("xNome", 60, path="issuer.name")
    documents: tuple[PreviousDocuments, ...] = children("idDocAnt", 2, path=INLINE)


@group("docAnt")
class PreviousTransport:
    """`docAnt`: the documents of earlier carriers."""

    issuers: tuple[PreviousIssuer, ...] = children("emiDocAnt", ANY_NUMBER, path=INLINE)


@group("infModal")
class WaybillMode:
    """`infModal`: the data of the mode of transport."""

    version: str = attribute("versaoModal", 4, default="4.00")
    content: Road | Air | Water | Rail | Pipeline | Multimodal = variant(path=INLINE)


@group("veicNovos")
class CarriedVehicle:
    """`veicNovos`: a new vehicle that is carried."""

    chassis: str = text("chassi", 17)
    color_code: str = text("cCor", 4)
    color: str = text("xCor", 40)
    model_code: str = text("cMod", 6)
    unit_value: Decimal = decimal("vUnit")
    freight_amount: Decimal = decimal("vFrete")


@group("fat")
class FreightBill:
    """`fat`: the commercial bill that the installments divide."""

    number: str | None = text("nFat", 60, default=None)
    original_amount: Decimal | None = decimal("vOrig", default=None, may_be_zero=False)
    discount: Decimal | None = decimal("vDesc", default=None, may_be_zero=False)
    net_amount: Decimal | None = decimal("vLiq", default=None, may_be_zero=False)


@group("dup")
class FreightInstallment:
    """`dup`: one installment of the bill."""

    number: str | None = text("nDup", 60, default=None)
    due_date: date | None = day("dVenc", default=None)
    amount: Decimal | None = decimal("vDup", default=None, may_be_zero=False)


@group("cobr")
class FreightBilling:
    """`cobr`: the bill and its installments."""

    bill: FreightBill | None = child("fat", default=None)
    installments: tuple[FreightInstallment, ...] = children("dup", ANY_NUMBER, default=())


@group("infCteSub")
class ReplacedWaybill:
    """`infCteSub`: the CT-e that this one replaces."""

    access_key: str = text("chCte", 44)
    changes_taker: str | None = text("indAlteraToma", 1, default=None)
    """`1`, or absent."""


@group("infGlobalizado")
class Globalization:
    """`infGlobalizado`: why one CT-e covers many senders or recipients."""

    notes: str = text("xObs", 256)


@group("infCTeMultimodal")
class MultimodalWaybill:
    """`infCTeMultimodal`: the multimodal CT-e that this service belongs to."""

    access_key: str = text("chCTeMultimodal", 44, path=INLINE)


@group("infServVinc")
class LinkedService:
    """`infServVinc`: the multimodal documents of a linked service."""

    access_keys: tuple[MultimodalWaybill, ...] = children("infCTeMultimodal", ANY_NUMBER, path=INLINE)


@group("infCTeNorm")
class Service:
    """`infCTeNorm`: what is carried, and how."""

    cargo: Cargo = child("infCarga")
    documents: CargoDocuments | None = child("infDoc", default=None)
    previous_documents: PreviousTransport | None = child("docAnt", default=None)
    mode: WaybillMode = child("infModal", path="modal")
    new_vehicles: tuple[CarriedVehicle, ...] = children("veicNovos", ANY_NUMBER, default=())
    billing: FreightBilling | None = child("cobr", default=None)
    substitution: ReplacedWaybill | None = child("infCteSub", default=None)
    globalized: Globalization | None = child("infGlobalizado", default=None)
    linked_service: LinkedService | None = child("infServVinc", path="multimodalAccessKeys", default=None)
