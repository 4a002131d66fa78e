"""The documents that a deduction is proved by (Anexo I, infDPS/valores/vDedRed/documentos)."""

from datetime import date
from functools import partial

from carimbo.simulator.group import Group
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import DEDUCTION
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.rules.told_documents import of_document, rule_of_each
from carimbo.simulator.rule import Rule

_OTHER = "99"
_NATIONAL = ("chNFSe", "chNFe")
_SUPPLIER = "fornec"
_rule = partial(rule_of_each, f"{DEDUCTION}/documentos", "docDedRed")


def wrong_key(document: Group, case: NoteCase) -> bool:
    """A check digit that does not fit."""
    return _is_wrong(document.text("chNFSe"))


def unknown_note(document: Group, case: NoteCase) -> bool:
    """A key that nobody has given."""
    key = document.text("chNFSe")
    return bool(key) and not _is_wrong(key) and case.ledger.document(case.place.environment, key) is None


def canceled_note(document: Group, case: NoteCase) -> bool:
    """A note that counts no more."""
    found = case.ledger.document(case.place.environment, document.text("chNFSe"))
    return found is not None and found.is_canceled


def wrong_invoice_key(document: Group, case: NoteCase) -> bool:
    """A check digit that does not fit."""
    return _is_wrong(document.text("chNFe"))


def _is_wrong(key: str) -> bool:
    return bool(key) and not has_right_digit(key)


def city_unknown(document: Group, case: NoteCase) -> bool:
    """No city of Brazil."""
    city = document.text("NFSeMun/cMunNFSeMun")
    return bool(city) and not persons.is_city(city)


def kind_untold(document: Group, case: NoteCase) -> bool:
    """Another kind than those of the list, without words."""
    return document.text("tpDedRed") == _OTHER and not document.text("xDescOutDed")


def kind_told_twice(document: Group, case: NoteCase) -> bool:
    """Words about a kind of the list."""
    return document.text("tpDedRed") != _OTHER and bool(document.text("xDescOutDed"))


def issued_after_service(document: Group, case: NoteCase) -> bool:
    """A document of a later day than the service."""
    return date.fromisoformat(document.text("dtEmiDoc")) > case.competence


def more_than_the_document(document: Group, case: NoteCase) -> bool:
    """More than the document allows."""
    return document.amount("vDeducaoReducao") > document.amount("vDedutivelRedutivel")


def supplier_missing(document: Group, case: NoteCase) -> bool:
    """National documents tell who issued them; others do not."""
    is_national = any(tag in document.texts for tag in _NATIONAL)
    return not is_national and not document.has(_SUPPLIER)


def address_missing(document: Group, case: NoteCase) -> bool:
    """A supplier with a tax id of Brazil is somewhere; where it is abroad is another rule's matter."""
    is_local = bool(document.text("fornec/CNPJ") or document.text("fornec/CPF"))
    return is_local and document.group("fornec/end") is None


DEDUCTION_RULES: tuple[Rule[NoteCase], ...] = (
    _rule("E0455", wrong_key),
    _rule("E0456", unknown_note),
    _rule("E0458", canceled_note),
    _rule("E0460", wrong_invoice_key),
    _rule("E0466", city_unknown),
    _rule("E0468", kind_untold),
    _rule("E0470", kind_told_twice),
    _rule("E0472", issued_after_service),
    _rule("E0474", more_than_the_document),
    _rule("E0477", supplier_missing),
    _rule("E0478", of_document(persons.wrong_cnpj_of(_SUPPLIER))),
    _rule("E0484", of_document(persons.wrong_cpf_of(_SUPPLIER))),
    _rule("E0490", of_document(persons.without_reason(_SUPPLIER))),
    _rule("E0492", address_missing),
    _rule("E0494", of_document(persons.city_unknown_of(_SUPPLIER))),
    _rule("E0496", of_document(persons.zipcode_of_another_city(_SUPPLIER))),
    _rule("E0498", of_document(persons.foreign_id_at_home(_SUPPLIER))),
    _rule("E0499", of_document(persons.country_unknown_of(_SUPPLIER))),
    _rule("E1538", of_document(persons.abroad_without_id(_SUPPLIER))),
)
