"""The pipeline mode: tariff, period, duct and contract."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Number, Text
from carimbo.fiscal.documents.cte.modes.mode import missing_in_mode
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.transport.request import TransportMode

_Tariff = Annotated[Number, Field(gt=0, max_digits=15, decimal_places=6)]
_Code = Annotated[Text, StringConstraints(min_length=2, max_length=20), TAKES_NUMBERS]


class PipelineBody(Body):
    """Transport by pipeline."""

    kind: Literal[TransportMode.PIPELINE] = Field(description="Modal: pipeline (dutoviário).")
    tariff: _Tariff | None = Field(
        default=None,
        description="Valor da tarifa, até 6 casas (vTar).",
        examples=[Decimal("0.052317")],
    )
    start_date: Day | None = Field(
        default=None, description="Início da prestação; obrigatório, exceto no complemento (dIni)."
    )
    end_date: Day | None = Field(
        default=None, description="Fim da prestação; obrigatório, exceto no complemento (dFim)."
    )
    duct_class: Annotated[str, StringConstraints(pattern="^[1-3]$")] | None = Field(
        default=None, description="Classe: 1 gasoduto, 2 mineroduto, 3 oleoduto (classDuto)."
    )
    contract_type: Annotated[str, StringConstraints(pattern="^[0-2]$")] | None = Field(
        default=None,
        description="Contratação, apenas de gasoduto: 0 ponto a ponto, 1 capacidade de entrada, 2 capacidade"
        " de saída (tpContratacao).",
    )
    entry_point: _Code | None = Field(
        default=None, description="Código do ponto de entrada (codPontoEntrada)."
    )
    exit_point: _Code | None = Field(default=None, description="Código do ponto de saída (codPontoSaida).")
    contract_number: _Code | None = Field(
        default=None, description="Número do contrato de capacidade (nContrato)."
    )


def pipeline_group(body: PipelineBody) -> Pipeline:
    """Returns the group of a transport by pipeline."""
    start, end = body.start_date, body.end_date
    if start is None or end is None:
        raise missing_in_mode(startDate=start, endDate=end)
    return Pipeline(
        tariff=body.tariff,
        start_date=start,
        end_date=end,
        duct_class=body.duct_class,
        contract_type=body.contract_type,
        entry_point=body.entry_point,
        exit_point=body.exit_point,
        contract_number=body.contract_number,
    )
