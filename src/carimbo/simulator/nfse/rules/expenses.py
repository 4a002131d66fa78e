"""What was paid for others and is passed on (Anexo I, infDPS/IBSCBS/valores/gReeRepRes)."""

from collections.abc import Callable
from datetime import date

from carimbo.simulator.group import Group
from carimbo.simulator.nfse.amounts import service_amount
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.rules.persons import is_city
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_EXPENSES = "IBSCBS/valores/gReeRepRes"
_OTHER = "99"
_LENGTHS = {"1": 50, "2": 44, "3": 44}
"""Of the keys of NFS-e, NF-e and CT-e."""
_LAST_DAY_OF_OTHERS = date(2025, 12, 31)


def wrong_key(document: Group, case: NoteCase) -> bool:
    """A key that is too short or too long for its kind."""
    length = _LENGTHS.get(document.text("dFeNacional/tipoChaveDFe"))
    return length is not None and len(document.text("dFeNacional/chaveDFe")) != length


def other_document_too_late(document: Group, case: NoteCase) -> bool:
    """Since 2026 every fiscal document is a national one."""
    is_other = "docFiscalOutro" in document.groups
    return is_other and date.fromisoformat(document.text("dtCompDoc")) > _LAST_DAY_OF_OTHERS


def city_unknown(document: Group, case: NoteCase) -> bool:
    """No city of Brazil."""
    city = document.text("docFiscalOutro/cMunDocFiscal")
    return bool(city) and not is_city(city)


def wrong_cnpj(document: Group, case: NoteCase) -> bool:
    """Check digits that do not fit."""
    found = document.text("fornec/CNPJ")
    return bool(found) and not is_cnpj(found)


def wrong_cpf(document: Group, case: NoteCase) -> bool:
    """Check digits that do not fit."""
    found = document.text("fornec/CPF")
    return bool(found) and not is_cpf(found)


def issued_before_it_was_due(document: Group, case: NoteCase) -> bool:
    """Issued on an earlier day than it is of."""
    return document.text("dtEmiDoc") < document.text("dtCompDoc")


def kind_told_twice(document: Group, case: NoteCase) -> bool:
    """Words about a kind of the list."""
    return document.text("tpReeRepRes") != _OTHER and bool(document.text("xTpReeRepRes"))


def more_than_the_service(document: Group, case: NoteCase) -> bool:
    """More than the service costs."""
    return document.amount("vlrReeRepRes") > service_amount(case)


def has_expenses(case: NoteCase) -> bool:
    """Declarations with something paid for others."""
    return case.has(_EXPENSES)


def _rule(code: str, is_broken: Callable[[Group, NoteCase], bool]) -> Rule[NoteCase]:
    def first_broken_document(case: NoteCase) -> Finding:
        documents = case.group(_EXPENSES).all("documentos")
        places = (place for place, one in enumerate(documents, 1) if is_broken(one, case))
        return next((f"documentos[{place}]" for place in places), None)

    return Rule(code, first_broken_document, has_expenses)


EXPENSE_RULES: tuple[Rule[NoteCase], ...] = (
    _rule("E0940", wrong_key),
    _rule("E0942", other_document_too_late),
    _rule("E0943", city_unknown),
    _rule("E0945", wrong_cnpj),
    _rule("E0947", wrong_cpf),
    _rule("E0950", issued_before_it_was_due),
    _rule("E0952", kind_told_twice),
    _rule("E0953", more_than_the_service),
)
