"""Resources of cities in the national data environment: agreements and ISS rates."""

import re
from datetime import date
from typing import Any

from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.fiscal.tables.service_codes import NATIONAL_SERVICES
from carimbo.simulator.calendar import CITY_AGREEMENTS_SINCE
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.family import CallReply
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.call import ResourceCall

_SERVICE = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{2})\.([0-9]{3})")
_WRONG_SERVICE = "Chamada mal formada. O código do serviço deve ser composto por nove dígitos."
_NO_RATES = "Alíquotas não encontradas."
_RATES = "Alíquotas recuperadas com sucesso."
_HISTORY = "Histórico de alíquotas recuperadas com sucesso."
_AGREEMENT = "Parâmetros do convênio recuperados com sucesso."


def read_agreement(call: ResourceCall) -> CallReply:
    """Returns the agreement of a city; a city that has not joined is not found."""
    city = _city(call)
    if city is None:
        code = call.parameters["municipio"]
        name = city_of(code).name or code
        text = f"O convênio do município <{name}> ainda não está ativo no Sistema Nacional da NFS-e"
        return _answer(404, "parametrosConvenio", None, text)
    parameters = {
        "aderenteAmbienteNacional": 1,
        "aderenteEmissorNacional": int(city.has_national_emitter),
        "situacaoEmissaoPadraoContribuintesRFB": 1,
        "aderenteMAN": 0,
        "permiteAproveitametoDeCreditos": False,
    }
    return _answer(200, "parametrosConvenio", parameters, _AGREEMENT)


def read_rate(call: ResourceCall) -> CallReply:
    """Returns the rate of a service on a day."""
    day = call.parameters["competencia"]
    try:
        date.fromisoformat(day)
    except ValueError:
        return answers.wrong_request({"competencia": [f"The value '{day}' is not valid."]})
    return _rates(call, _RATES)


def read_rate_history(call: ResourceCall) -> CallReply:
    """Returns every rate that a service has had."""
    return _rates(call, _HISTORY)


def _rates(call: ResourceCall, text: str) -> CallReply:
    code = call.parameters["servico"]
    match = _SERVICE.fullmatch(code)
    if match is None:
        return _answer(400, "aliquotas", None, _WRONG_SERVICE)
    service, city = "".join(match.groups()[:3]), _city(call)
    percent = city.rate(service) if city and service in NATIONAL_SERVICES.rows else None
    if percent is None:
        return _answer(404, "aliquotas", None, _NO_RATES)
    since = f"{CITY_AGREEMENTS_SINCE}T00:00:00"
    rate = {"Incidencia": "SIM", "Aliq": float(percent), "DtIni": since, "DtFim": None}
    return _answer(200, "aliquotas", {code: [rate]}, text)


def _city(call: ResourceCall) -> City | None:
    """Returns the city of the path, if it exists and has joined."""
    code = call.parameters["municipio"]
    city = city_of(code) if municipality_of_ibge(code) else None
    return city if city and city.has_agreement else None


def _answer(status: int, name: str, value: Any, text: str) -> CallReply:
    return CallReply(answers.reply(status, {name: value, "mensagem": text}), str(status), text)
