"""What the national data environment tells of cities: agreements, and rates of the ISS."""

import re
from datetime import date
from typing import Any

from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES
from carimbo.simulator.calendar import CITIES_AGREED_SINCE
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.family import Said
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.call import Call

_SERVICE = re.compile(r"([0-9]{2})\.([0-9]{2})\.([0-9]{2})\.([0-9]{3})")
_WRONG_SERVICE = "Chamada mal formada. O código do serviço deve ser composto por nove dígitos."
_NO_RATES = "Alíquotas não encontradas."
_RATES = "Alíquotas recuperadas com sucesso."
_HISTORY = "Histórico de alíquotas recuperadas com sucesso."
_AGREEMENT = "Parâmetros do convênio recuperados com sucesso."


def agreement(call: Call) -> Said:
    """Tell what a city has agreed to; one that has not joined is not found."""
    city = _city(call)
    if city is None:
        return _told(404, "parametrosConvenio", None, _not_joined(call))
    told = {
        "aderenteAmbienteNacional": 1,
        "aderenteEmissorNacional": int(city.has_national_emitter),
        "situacaoEmissaoPadraoContribuintesRFB": 1,
        "aderenteMAN": 0,
        "permiteAproveitametoDeCreditos": False,
    }
    return _told(200, "parametrosConvenio", told, _AGREEMENT)


def rate(call: Call) -> Said:
    """Tell the rate of a service on a day."""
    try:
        date.fromisoformat(call.parameters["competencia"])
    except ValueError:
        return _wrong_day(call.parameters["competencia"])
    return _rates(call, _RATES)


def history(call: Call) -> Said:
    """Tell every rate that a service has had."""
    return _rates(call, _HISTORY)


def _rates(call: Call, text: str) -> Said:
    code = call.parameters["servico"]
    found = _SERVICE.fullmatch(code)
    if found is None:
        return _told(400, "aliquotas", None, _WRONG_SERVICE)
    service, city = "".join(found.groups()[:3]), _city(call)
    percent = city.rate(service) if city and service in NATIONAL_SERVICES.rows else None
    if percent is None:
        return _told(404, "aliquotas", None, _NO_RATES)
    since = f"{CITIES_AGREED_SINCE}T00:00:00"
    rate = {"Incidencia": "SIM", "Aliq": float(percent), "DtIni": since, "DtFim": None}
    return _told(200, "aliquotas", {code: [rate]}, text)


def _city(call: Call) -> City | None:
    """The city of the path, if there is one and it has joined."""
    code = call.parameters["municipio"]
    city = city_of(code) if municipality_of_ibge(code) else None
    return city if city and city.has_agreement else None


def _not_joined(call: Call) -> str:
    code = call.parameters["municipio"]
    name = city_of(code).name or code
    return f"O convênio do município <{name}> ainda não está ativo no Sistema Nacional da NFS-e"


def _told(status: int, name: str, value: Any, text: str) -> Said:
    return Said(answers.reply(status, {name: value, "mensagem": text}), str(status), text)


def _wrong_day(text: str) -> Said:
    errors = {"competencia": [f"The value '{text}' is not valid."]}
    return answers.wrong_request(errors)
