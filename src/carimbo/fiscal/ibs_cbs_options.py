"""What a caller may write as the options of a company of Simples Nacional for IBS and CBS.

`Company` itself takes any options: what was stored is read again, whatever the calendar says by then.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.company import IbsCbsOption, IbsCbsRegime, TaxRegime, half_year_of

_ERROR_TYPE = "ibs_cbs_options"
_MOST = 40
_FORM = '[{"halfYear": "2027-1", "regime": "regular"}]'
_UNDATED = (
    f"A opção vale por semestre: informe uma lista como {_FORM}, porque um regime sem semestre não diz desde"
    " quando vale."
)
_NOT_SIMPLES = (
    "Só empresas do Simples Nacional (taxRegime simples ou simplesExcess) escolhem o regime de IBS e CBS:"
    " envie ibsCbsRegime com uma lista vazia."
)
_NOT_BEYOND_SUBLIMIT = (
    "O regime mixed é só de taxRegime simplesExcess: o IBS sai do DAS, e a CBS fica, acima do sublimite."
)


def problem_of_options(tax_regime: TaxRegime | None, options: Sequence[IbsCbsOption]) -> str | None:
    """Returns why a company of a tax regime can't have these options, in Portuguese, or None if it can.

    A company without a tax regime can have any: it issues nothing before it has one.
    """
    chosen = {option.regime for option in options} - {IbsCbsRegime.DAS}
    if tax_regime is None or not chosen:
        return None
    if not tax_regime.is_simples:
        return _NOT_SIMPLES
    if IbsCbsRegime.MIXED in chosen and tax_regime is not TaxRegime.SIMPLES_EXCESS:
        return _NOT_BEYOND_SUBLIMIT
    return None


def _refuse_undated(value: Any) -> Any:
    is_list = isinstance(value, list | tuple)
    if not is_list or not all(isinstance(option, Mapping | IbsCbsOption) for option in value):
        raise PydanticCustomError(_ERROR_TYPE, "{message}", {"message": _UNDATED})
    return value


def _in_order(options: tuple[IbsCbsOption, ...]) -> tuple[IbsCbsOption, ...]:
    """Returns the options by half-year; refuses two of one half-year, and those before options exist."""
    half_years = [option.half_year for option in options]
    repeated = sorted({half_year for half_year in half_years if half_years.count(half_year) > 1})
    if repeated:
        message = "Informe um só regime por semestre; repetido: {half_years}."
        raise PydanticCustomError(_ERROR_TYPE, message, {"half_years": ", ".join(repeated)})
    since = CALENDAR[DatedRule.SIMPLES_INFORMS_IBS_CBS].since
    first = half_year_of(since) if since else None
    if first and any(half_year < first for half_year in half_years):
        message = "A opção existe desde o semestre {first}; retire os anteriores."
        raise PydanticCustomError(_ERROR_TYPE, message, {"first": first})
    return tuple(sorted(options, key=lambda option: option.half_year))


IbsCbsOptions = Annotated[
    tuple[IbsCbsOption, ...],
    Field(max_length=_MOST),
    BeforeValidator(_refuse_undated),
    AfterValidator(_in_order),
]
