"""The internal rate of ICMS that is used when none is given."""

from decimal import Decimal

from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.layouts.filling import required
from carimbo.fiscal.tables.icms_rates import IcmsRate, internal_icms


def usual_rate(state: str, path: str, findings: Findings, *, with_fund: bool) -> IcmsRate:
    """Returns the general rate of a state, with a warning: the true one depends on the product."""
    usual = internal_icms(state)
    if usual is None:
        raise Incomplete(required(path, f"o estado {state}, que não está na tabela de alíquotas"))
    fund = f" e {_shown(usual.fcp)} de FCP" if usual.fcp and with_fund else ""
    findings.assumed(
        f"Alíquota interna do ICMS não informada: usada a geral de {state}, {_shown(usual.rate)}{fund}."
        " Confira a do produto."
    )
    return usual


def _shown(rate: Decimal) -> str:
    return f"{rate:f}%".replace(".", ",")
