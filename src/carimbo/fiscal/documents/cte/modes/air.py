"""The air mode: air waybill, tariff, handling and dangerous goods."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Coded, Money, Quantity, Text
from carimbo.fiscal.documents.cte.modes.mode import missing_in_mode
from carimbo.fiscal.layouts.cte_v4.air import Air, AirTariff, CargoNature, DangerousGoods, DangerousQuantity
from carimbo.fiscal.transport.request import TransportMode

_Dimensions = Annotated[str, StringConstraints(pattern="^[0-9]{1,4}X[0-9]{1,4}X[0-9]{1,4}$")]
_HandlingCode = Annotated[str, StringConstraints(pattern="^(0[1-9]|1[0-5]|99)$")]


class TariffClass(Coded):
    """The class of the tariff (`CL`)."""

    MINIMUM = "minimum", "M"
    GENERAL = "general", "G"
    SPECIFIC = "specific", "E"


class DangerousUnit(Coded):
    """The unit of a quantity of dangerous goods (`uniAP`)."""

    KG = "kg", "1"
    GROSS_KG = "kgG", "2"
    LITERS = "liters", "3"
    TRANSPORT_INDEX = "ti", "4"
    UNITS = "units", "5"


class AirTariffBody(Body):
    """The tariff of an air transport."""

    tariff_class: TariffClass = Field(
        alias="class", description="Classe: minimum (mínima), general (geral) ou specific (específica) (CL)."
    )
    code: Annotated[Text, StringConstraints(max_length=4), TAKES_NUMBERS] | None = Field(
        default=None, description="Código da tarifa (cTar)."
    )
    amount: Money = Field(description="Valor da tarifa, por kg quando for o caso, em reais (vTar).")


class DangerousGoodsBody(Body):
    """Goods that the UN lists as dangerous."""

    un_number: Annotated[str, StringConstraints(pattern="^([0-9]{4}|ND)$")] = Field(
        description="Número ONU, 4 dígitos, ou ND (nONU).", examples=["1203"]
    )
    packages: Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS] = Field(
        description="Quantidade total de volumes com artigos perigosos (qTotEmb)."
    )
    quantity: Annotated[Quantity, Field(gt=0)] = Field(
        description="Quantidade total de artigos perigosos (qTotProd)."
    )
    unit: DangerousUnit = Field(
        description="Unidade: kg, kgG (quilograma bruto), liters, ti (índice de transporte) ou units (uniAP)."
    )


class AirBody(Body):
    """Transport by air."""

    kind: Literal[TransportMode.AIR] = Field(description="Modal: air (aéreo).")
    waybill_draft_number: Annotated[str, StringConstraints(pattern="^[0-9]{9}$")] | None = Field(
        default=None, description="Número da minuta, 9 dígitos (nMinu)."
    )
    air_waybill_number: Annotated[str, StringConstraints(pattern="^[0-9]{11}$")] | None = Field(
        default=None, description="Número operacional do conhecimento aéreo, 11 dígitos (nOCA)."
    )
    expected_delivery_date: Day | None = Field(
        default=None, description="Data prevista da entrega; obrigatória, exceto no complemento (dPrevAereo)."
    )
    dimensions: _Dimensions | None = Field(
        default=None,
        description="Comprimento, largura e altura em cm (xDime).",
        examples=["120X80X60"],
    )
    handling_codes: Annotated[tuple[_HandlingCode, ...], Field(max_length=16)] = Field(
        default=(), description="Informações de manuseio, códigos de 01 a 15, ou 99 (cInfManu)."
    )
    tariff: AirTariffBody | None = Field(
        default=None, description="Tarifa; obrigatória, exceto no complemento (tarifa)."
    )
    dangerous_goods: Annotated[tuple[DangerousGoodsBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Produtos classificados pela ONU como perigosos (peri)."
    )


def air_group(body: AirBody) -> Air:
    """Returns the group of a transport by air."""
    tariff, delivery = body.tariff, body.expected_delivery_date
    if tariff is None or delivery is None:
        raise missing_in_mode(expectedDeliveryDate=delivery, tariff=tariff)
    return Air(
        waybill_draft_number=body.waybill_draft_number,
        air_waybill_number=body.air_waybill_number,
        expected_delivery_date=delivery,
        nature=CargoNature(dimensions=body.dimensions, handling_codes=body.handling_codes),
        tariff=AirTariff(tariff_class=tariff.tariff_class.code, code=tariff.code, amount=tariff.amount),
        dangerous_goods=tuple(
            DangerousGoods(
                un_number=goods.un_number,
                packages=goods.packages,
                total=DangerousQuantity(quantity=goods.quantity, unit=goods.unit.code),
            )
            for goods in body.dangerous_goods
        ),
    )
