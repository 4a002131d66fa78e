"""What was paid for others and is passed on (Anexo I, infDPS/IBSCBS/valores/gReeRepRes)."""

from datetime import date
from functools import partial

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.group import Group
from carimbo.simulator.nfse.amounts import service_amount
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.rules.told_documents import of_document, rule_of_each
from carimbo.simulator.rule import Rule

_SUPPLIER = "fornec"
_rule = partial(rule_of_each, "IBSCBS/valores/gReeRepRes", "documentos")
_OTHER = "99"
_LENGTHS = {"1": 50, "2": 44, "3": 44}
"""Of the keys of NFS-e, NF-e and CT-e."""


def wrong_key(document: Group, case: NoteCase) -> bool:
    """A key that is too short or too long for its kind."""
    length = _LENGTHS.get(document.text("dFeNacional/tipoChaveDFe"))
    return length is not None and len(document.text("dFeNacional/chaveDFe")) != length


def other_document_too_late(document: Group, case: NoteCase) -> bool:
    """Since 2026 every fiscal document is a national one."""
    if "docFiscalOutro" not in document.groups:
        return False
    day = date.fromisoformat(document.text("dtCompDoc"))
    return case.calendar.is_in_force(Milestone.NFSE_OTHER_DOCUMENTS_ENDED, day)


def city_unknown(document: Group, case: NoteCase) -> bool:
    """No city of Brazil."""
    city = document.text("docFiscalOutro/cMunDocFiscal")
    return bool(city) and not persons.is_city(city)


def issued_before_it_was_due(document: Group, case: NoteCase) -> bool:
    """Issued on an earlier day than it is of."""
    return document.text("dtEmiDoc") < document.text("dtCompDoc")


def kind_told_twice(document: Group, case: NoteCase) -> bool:
    """Words about a kind of the list."""
    return document.text("tpReeRepRes") != _OTHER and bool(document.text("xTpReeRepRes"))


def more_than_the_service(document: Group, case: NoteCase) -> bool:
    """More than the service costs."""
    return document.amount("vlrReeRepRes") > service_amount(case)


EXPENSE_RULES: tuple[Rule[NoteCase], ...] = (
    _rule("E0940", wrong_key),
    _rule("E0942", other_document_too_late),
    _rule("E0943", city_unknown),
    _rule("E0945", of_document(persons.wrong_cnpj_of(_SUPPLIER))),
    _rule("E0947", of_document(persons.wrong_cpf_of(_SUPPLIER))),
    _rule("E0950", issued_before_it_was_due),
    _rule("E0952", kind_told_twice),
    _rule("E0953", more_than_the_service),
)
