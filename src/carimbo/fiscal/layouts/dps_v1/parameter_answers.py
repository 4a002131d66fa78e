"""Answers of the national environment about municipalities: their agreement, and their rates."""

import re
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.json_answers import find_part
from carimbo.fiscal.layouts.dps_v1.refused_answers import read_refused_question
from carimbo.fiscal.municipal_agreement import Agreement, MunicipalRate
from carimbo.fiscal.outcome import NotJudged, Throttled, Unavailable, Unknown, unexpected

_OK = 200
_YES = "1"
_RATE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,6})?")


def read_agreement(
    status: int, body: bytes, city_code: str
) -> Agreement | Unavailable | Throttled | NotJudged:
    """Read what a municipality agreed (GET /{cMun}/convenio): one without an agreement in force has none."""
    if status != _OK:
        told = read_refused_question(status, body)
        return Agreement(city_code, False, False) if isinstance(told, Unknown) else told
    answer = find_part(body)
    if isinstance(answer, NotJudged):
        return answer
    agreed = answer.parts("parametrosConvenio")
    if len(agreed) != 1:
        return unexpected("convênio sem parâmetros")
    # No field says that the agreement is in force: that there is an answer does.
    return Agreement(city_code, True, agreed[0].text("aderenteEmissorNacional") == _YES)


def read_rate(
    status: int, body: bytes, city_code: str, service_code: str
) -> MunicipalRate | Unavailable | Throttled | NotJudged:
    """Read the rate of a service on a day (GET /{cMun}/{servico}/{competencia}/aliquota); many tell none."""
    if status != _OK:
        told = read_refused_question(status, body)
        return MunicipalRate(city_code, service_code, None) if isinstance(told, Unknown) else told
    answer = find_part(body)
    if isinstance(answer, NotJudged):
        return answer
    periods = [one for services in answer.parts("aliquotas") for one in services.parts(service_code)]
    if len(periods) != 1:
        return unexpected(f"{len(periods)} alíquotas na resposta")
    rate = periods[0].matching("Aliq", _RATE)
    return MunicipalRate(city_code, service_code, Decimal(rate) if rate else None)
