"""Which service the lines of a sale are: a declaration has room for one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from carimbo.fiscal.catalog_sale import SoldLine, without_absent
from carimbo.fiscal.documents.nfse.correlation import USUAL_INDICATOR, takes_usual_indicator
from carimbo.fiscal.documents.nfse.national_code import code_digits, services_named
from carimbo.fiscal.documents.nfse.service_facts import SETTINGS_ROUTE, written_city_code
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.tax_bodies import IbsCbsBody, IssBody, TaxesBody
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.problems import Problem, quoted

_DETAILED = ("serviceItemCode", "cityServiceCode", "iss")
# What no document does without, and the settings that have it for all items.
_SETTINGS = {"serviceItemCode": "nfse.federalServiceCode", "iss": "nfse.issRate"}
# By the fields of an item, how values that mean the same become equal; the CNAE stands in no declaration.
_COMPARED: Mapping[str, Callable[[Any], Any]] = {
    "serviceItemCode": code_digits,
    "cityServiceCode": written_city_code,
    "iss": IssBody.model_validate,
    "nbs": lambda code: code.replace(".", ""),
    "taxes": TaxesBody.model_validate,
}
_NOTHING_GIVEN = NfseSettings()

Facts = dict[str, Any]
"""Fiscal fields of an item, under their names in the catalog."""


def service_of(lines: Sequence[SoldLine], settings: NfseSettings) -> Facts:
    """The facts that all lines share; what items leave to the company is left to it when the note is issued.

    Once an item tells any fact of the detailed form, the body has to tell all of them, and the company's
    settings of today fill in the rest, unless the item takes nothing from them. An NBS that no body tells is
    always the company's.
    """
    told = [without_absent(line.fiscal) for line in lines]
    given = [settings if line.follows_company_defaults else _NOTHING_GIVEN for line in lines]
    settled = [facts | _of_detailed_form(facts, own) for facts, own in zip(told, given, strict=True)]
    with_nbs = [{"nbs": settings.nbs} | facts for facts in settled]
    differing = [
        problem
        for line, facts in zip(lines[1:], with_nbs[1:], strict=True)
        for problem in _differences(lines[0], with_nbs[0], line, facts)
    ]
    if differing:
        raise Incomplete(*differing)
    is_detailed = any(facts.get(name) is not None for facts in told for name in _DETAILED)
    if not is_detailed:
        return told[0]
    if not _SETTINGS.keys() <= settled[0].keys():
        raise Incomplete(*_missing(lines[0], settled[0]))
    return settled[0]


def _missing(line: SoldLine, facts: Facts) -> Iterator[Problem]:
    for name, setting in _SETTINGS.items():
        if name not in facts:
            yield Problem(
                "MISSING",
                f"products[{line.position}].{name}",
                "Falta no item e nas configurações da empresa.",
                f"Informe {name} no item do catálogo ou configure {setting} da empresa {SETTINGS_ROUTE}.",
            )


def _of_detailed_form(told: Facts, settings: NfseSettings) -> Facts:
    code = told.get("serviceItemCode", settings.federal_service_code)
    rate = None if settings.iss_rate is None else {"rate": settings.iss_rate}
    facts = {
        "serviceItemCode": code,
        "cityServiceCode": told.get("cityServiceCode") or _city_code(code, settings),
        "iss": told.get("iss", rate),
    }
    return without_absent(facts)


def _city_code(code: str | None, settings: NfseSettings) -> str | None:
    """Returns the company's, if it is of the same service, else one that no note has room for.

    Any code makes the body detailed, so that it takes nothing from the company when the note is issued.
    """
    usual = settings.federal_service_code
    is_usual = code is None or usual is None or code_digits(code) == code_digits(usual)
    own = settings.city_service_code if is_usual else None
    return own or (code_digits(code) if code else None)


def _meaning(facts: Facts) -> Facts:
    """Returns the facts of an item in a form in which facts that mean the same are equal."""
    compared = {
        name: meaning(facts[name]) if facts.get(name) is not None else None
        for name, meaning in _COMPARED.items()
    }
    return compared | {"ibsCbs": _reform(facts)}


def _reform(facts: Facts) -> IbsCbsBody | None:
    """Returns IBS and CBS of an item, with the operation indicator that it gets when it has none."""
    if facts.get("ibsCbs") is None:
        return None
    body = IbsCbsBody.model_validate(facts["ibsCbs"])
    services = services_named(facts.get("serviceItemCode", ""))
    nbs = (facts.get("nbs") or "").replace(".", "") or None
    if body.operation_indicator or len(services) != 1 or not takes_usual_indicator(services[0], nbs, body):
        return body
    return body.model_copy(update={"operation_indicator": USUAL_INDICATOR})


def _differences(first: SoldLine, firsts: Facts, line: SoldLine, facts: Facts) -> Iterator[Problem]:
    meant, expected = _meaning(facts), _meaning(firsts)
    for name in meant:
        if meant[name] != expected[name]:
            yield Problem(
                "DIFFERENT_SERVICES",
                f"products[{line.position}].{name}",
                f"A NFS-e é de um só serviço, e {quoted(line.name)} não tem o mesmo {name} de"
                f" {quoted(first.name)}.",
                "Venda em separado os serviços que têm códigos ou tributação diferentes.",
            )
