"""Rules of the documents that prove deductions and reimbursed expenses (Anexo I, vDedRed and gReeRepRes)."""

from collections.abc import Callable
from datetime import date
from functools import partial

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import has_valid_check_digit
from carimbo.simulator.nfse.amounts import service_amount
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.rules.persons import PersonCheck
from carimbo.simulator.nfse.taxation import DEDUCTION
from carimbo.simulator.rules import Finding, RejectionRule

DocumentCheck = Callable[[Group, JudgedDps], bool]
_OTHER_DEDUCTION = "99"
_NATIONAL = ("chNFSe", "chNFe")
_SUPPLIER = "fornec"
_OTHER_EXPENSE = "99"
_LENGTHS = {"1": 50, "2": 44, "3": 44}
"""Lengths of the keys of NFS-e, NF-e and CT-e."""


def rule_for_each(path: str, tag: str, code: str, is_broken: DocumentCheck) -> RejectionRule[JudgedDps]:
    """Returns a rule over the documents of a group, which names the first document that breaks it."""

    def first_broken(dps: JudgedDps) -> Finding:
        documents = dps.group(path).all(tag)
        numbers = (number for number, document in enumerate(documents, 1) if is_broken(document, dps))
        return next((f"{tag}[{number}]" for number in numbers), None)

    return RejectionRule(code, first_broken, lambda dps: dps.has(path))


def of_document(check: PersonCheck) -> DocumentCheck:
    """Returns a check of a person that a document names."""
    return lambda document, dps: check(document)


_deduction_rule = partial(rule_for_each, f"{DEDUCTION}/documentos", "docDedRed")


def wrong_note_key(document: Group, dps: JudgedDps) -> bool:
    """The key of the NFS-e has a wrong check digit."""
    return _is_wrong(document.text("chNFSe"))


def unknown_note(document: Group, dps: JudgedDps) -> bool:
    """No note has this key."""
    key = document.text("chNFSe")
    return bool(key) and not _is_wrong(key) and dps.ledger.document(dps.service_path.environment, key) is None


def canceled_note(document: Group, dps: JudgedDps) -> bool:
    """The note was canceled."""
    note = dps.ledger.document(dps.service_path.environment, document.text("chNFSe"))
    return note is not None and note.is_canceled


def wrong_invoice_key(document: Group, dps: JudgedDps) -> bool:
    """The key of the NF-e has a wrong check digit."""
    return _is_wrong(document.text("chNFe"))


def _is_wrong(key: str) -> bool:
    return bool(key) and not has_valid_check_digit(key)


def deduction_city_unknown(document: Group, dps: JudgedDps) -> bool:
    """The city of a municipal note is not a Brazilian city."""
    city = document.text("NFSeMun/cMunNFSeMun")
    return bool(city) and not persons.is_city(city)


def deduction_kind_missing(document: Group, dps: JudgedDps) -> bool:
    """The kind is "other", without a description."""
    return document.text("tpDedRed") == _OTHER_DEDUCTION and not document.text("xDescOutDed")


def needless_deduction_kind(document: Group, dps: JudgedDps) -> bool:
    """A description although the kind is in the list."""
    return document.text("tpDedRed") != _OTHER_DEDUCTION and bool(document.text("xDescOutDed"))


def issued_after_service(document: Group, dps: JudgedDps) -> bool:
    """The document is later than the service."""
    return date.fromisoformat(document.text("dtEmiDoc")) > dps.competence


def more_than_the_document(document: Group, dps: JudgedDps) -> bool:
    """The deduction is more than the document allows."""
    return document.amount("vDeducaoReducao") > document.amount("vDedutivelRedutivel")


def supplier_missing(document: Group, dps: JudgedDps) -> bool:
    """The supplier is missing; only national documents identify it themselves."""
    is_national = any(tag in document.texts for tag in _NATIONAL)
    return not is_national and not document.has(_SUPPLIER)


def address_missing(document: Group, dps: JudgedDps) -> bool:
    """A supplier with a Brazilian tax id has no address; another rule is about suppliers abroad."""
    is_local = bool(document.text("fornec/CNPJ") or document.text("fornec/CPF"))
    return is_local and document.group("fornec/end") is None


DEDUCTION_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    _deduction_rule("E0455", wrong_note_key),
    _deduction_rule("E0456", unknown_note),
    _deduction_rule("E0458", canceled_note),
    _deduction_rule("E0460", wrong_invoice_key),
    _deduction_rule("E0466", deduction_city_unknown),
    _deduction_rule("E0468", deduction_kind_missing),
    _deduction_rule("E0470", needless_deduction_kind),
    _deduction_rule("E0472", issued_after_service),
    _deduction_rule("E0474", more_than_the_document),
    _deduction_rule("E0477", supplier_missing),
    _deduction_rule("E0478", of_document(persons.wrong_cnpj_of(_SUPPLIER))),
    _deduction_rule("E0484", of_document(persons.wrong_cpf_of(_SUPPLIER))),
    _deduction_rule("E0490", of_document(persons.without_reason(_SUPPLIER))),
    _deduction_rule("E0492", address_missing),
    _deduction_rule("E0494", of_document(persons.city_unknown_of(_SUPPLIER))),
    _deduction_rule("E0496", of_document(persons.zipcode_of_another_city(_SUPPLIER))),
    _deduction_rule("E0498", of_document(persons.foreign_id_at_home(_SUPPLIER))),
    _deduction_rule("E0499", of_document(persons.country_unknown_of(_SUPPLIER))),
    _deduction_rule("E1538", of_document(persons.abroad_without_id(_SUPPLIER))),
)


_expense_rule = partial(rule_for_each, "IBSCBS/valores/gReeRepRes", "documentos")


def wrong_key_length(document: Group, dps: JudgedDps) -> bool:
    """The key has the wrong length for its kind."""
    length = _LENGTHS.get(document.text("dFeNacional/tipoChaveDFe"))
    return length is not None and len(document.text("dFeNacional/chaveDFe")) != length


def other_document_too_late(document: Group, dps: JudgedDps) -> bool:
    """A document that is not national, although since 2026 all fiscal documents are."""
    if "docFiscalOutro" not in document.groups:
        return False
    day = date.fromisoformat(document.text("dtCompDoc"))
    return dps.calendar.is_in_force(Milestone.NFSE_OTHER_DOCUMENTS_ENDED, day)


def expense_city_unknown(document: Group, dps: JudgedDps) -> bool:
    """The city of another fiscal document is not a Brazilian city."""
    city = document.text("docFiscalOutro/cMunDocFiscal")
    return bool(city) and not persons.is_city(city)


def issued_before_it_was_due(document: Group, dps: JudgedDps) -> bool:
    """The document was issued before its competence."""
    return document.text("dtEmiDoc") < document.text("dtCompDoc")


def needless_expense_kind(document: Group, dps: JudgedDps) -> bool:
    """A description although the kind is in the list."""
    return document.text("tpReeRepRes") != _OTHER_EXPENSE and bool(document.text("xTpReeRepRes"))


def more_than_the_service(document: Group, dps: JudgedDps) -> bool:
    """The expense is more than the price of the service."""
    return document.amount("vlrReeRepRes") > service_amount(dps)


EXPENSE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    _expense_rule("E0940", wrong_key_length),
    _expense_rule("E0942", other_document_too_late),
    _expense_rule("E0943", expense_city_unknown),
    _expense_rule("E0945", of_document(persons.wrong_cnpj_of(_SUPPLIER))),
    _expense_rule("E0947", of_document(persons.wrong_cpf_of(_SUPPLIER))),
    _expense_rule("E0950", issued_before_it_was_due),
    _expense_rule("E0952", needless_expense_kind),
    _expense_rule("E0953", more_than_the_service),
)
