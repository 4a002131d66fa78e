"""The pipeline mode of a CT-e (`duto`), which has its own XSD."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import day, decimal, group, text


@group("duto")
class Pipeline:
    """`duto`: tariff, period, duct and contract."""

    tariff: Decimal | None = decimal("vTar", 6, default=None, may_be_zero=False)
    start_date: date = day("dIni")
    end_date: date = day("dFim")
    duct_class: str | None = text("classDuto", 1, default=None)
    contract_type: str | None = text("tpContratacao", 1, default=None)
    entry_point: str | None = text("codPontoEntrada", 20, default=None)
    exit_point: str | None = text("codPontoSaida", 20, default=None)
    contract_number: str | None = text("nContrato", 20, default=None)
