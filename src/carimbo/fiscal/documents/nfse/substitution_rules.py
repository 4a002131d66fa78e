"""What a note that takes the place of another has to keep of it (Anexo I, E0060 and E0061)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from carimbo.fiscal.documents.nfse.simples import Option
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.problems import Problem


class _Kept(NamedTuple):
    """Something that must not change: where the body tells it, what people call it, its values."""

    field: str
    name: str
    now: Any
    before: Any


def rules_of_substitution(note: ServiceNote, before: ServiceNote) -> Iterator[Problem]:
    """Tell all that is another than in the note which is replaced; what is bound depends on the regime."""
    is_outside = note.provider.regime.simples == Option.OUTSIDE
    code, whose = ("E0060", "Fora do") if is_outside else ("E0061", "No")
    for kept in _outside_simples(note, before) if is_outside else _in_simples(note, before):
        if kept.now != kept.before:
            yield Problem(code, kept.field, f"{whose} Simples Nacional a substituição não muda {kept.name}.")


def _outside_simples(note: ServiceNote, before: ServiceNote) -> Iterator[_Kept]:
    now, then = note.service, before.service
    yield _Kept("issueDate", "a competência", note.competence, before.competence)
    yield _Kept("federalServiceCode", "o serviço", now.code.national_code, then.code.national_code)
    yield _Kept("cityServiceCode", "o código municipal do serviço", now.code.city_code, then.code.city_code)
    yield _Kept("serviceCityCode", "o município da prestação", now.place.city_code, then.place.city_code)
    yield _Kept("serviceCountryCode", "o país da prestação", now.place.country_code, then.place.country_code)


def _in_simples(note: ServiceNote, before: ServiceNote) -> Iterator[_Kept]:
    yield _Kept("issueDate", "a competência", note.competence, before.competence)
    yield _Kept("amount", "o valor", note.amounts.service.amount, before.amounts.service.amount)
    now, then = _tax_id(note.taker), _tax_id(before.taker)
    if now and then:
        yield _Kept("borrower.taxId", "o tomador", now, then)


def _tax_id(taker: Taker | None) -> str | None:
    return (taker.cnpj or taker.cpf) if taker else None
