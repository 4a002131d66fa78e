"""The documents that a deduction is proved by (Anexo I, infDPS/valores/vDedRed/documentos)."""

from collections.abc import Callable
from datetime import date

from carimbo.simulator.group import Group
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import DEDUCTION
from carimbo.simulator.nfse.rules.persons import is_city, is_foreign_country, is_zipcode_of
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.tax_ids import is_cnpj, is_cpf

_OTHER = "99"
_NATIONAL = ("chNFSe", "chNFe")
_UNKNOWN_REASON = "0"


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
    return found is not None and found.canceled


def wrong_invoice_key(document: Group, case: NoteCase) -> bool:
    """A check digit that does not fit."""
    return _is_wrong(document.text("chNFe"))


def _is_wrong(key: str) -> bool:
    return bool(key) and not has_right_digit(key)


def city_unknown(document: Group, case: NoteCase) -> bool:
    """No city of Brazil."""
    city = document.text("NFSeMun/cMunNFSeMun")
    return bool(city) and not is_city(city)


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
    return not is_national and "fornec" not in document.groups


def wrong_cnpj(document: Group, case: NoteCase) -> bool:
    """Check digits that do not fit."""
    found = document.text("fornec/CNPJ")
    return bool(found) and not is_cnpj(found)


def wrong_cpf(document: Group, case: NoteCase) -> bool:
    """Check digits that do not fit."""
    found = document.text("fornec/CPF")
    return bool(found) and not is_cpf(found)


def address_missing(document: Group, case: NoteCase) -> bool:
    """A supplier with a tax id of Brazil is somewhere; where it is abroad is another rule's matter."""
    is_local = bool(document.text("fornec/CNPJ") or document.text("fornec/CPF"))
    return is_local and document.group("fornec/end") is None


def without_reason(document: Group, case: NoteCase) -> bool:
    """Why there is no foreign id is told by every new note."""
    return document.text("fornec/cNaoNIF") == _UNKNOWN_REASON


def city_of_supplier_unknown(document: Group, case: NoteCase) -> bool:
    """No city of Brazil."""
    city = document.text("fornec/end/endNac/cMun")
    return bool(city) and not is_city(city)


def zipcode_of_another_city(document: Group, case: NoteCase) -> bool:
    """A postal code of elsewhere; of a city that is none nothing is said."""
    city, zipcode = document.text("fornec/end/endNac/cMun"), document.text("fornec/end/endNac/CEP")
    return bool(zipcode) and is_city(city) and not is_zipcode_of(city, zipcode)


def foreign_id_at_home(document: Group, case: NoteCase) -> bool:
    """A foreign id, without an address abroad."""
    is_foreign = bool(document.text("fornec/NIF"))
    return is_foreign and document.group("fornec/end/endExt") is None


def country_unknown(document: Group, case: NoteCase) -> bool:
    """No country, or Brazil."""
    country = document.text("fornec/end/endExt/cPais")
    return bool(country) and not is_foreign_country(country)


def abroad_without_id(document: Group, case: NoteCase) -> bool:
    """An address abroad, of somebody with a tax id of Brazil."""
    is_named = bool(document.text("fornec/NIF") or document.text("fornec/cNaoNIF"))
    return document.group("fornec/end/endExt") is not None and not is_named


def has_documents(case: NoteCase) -> bool:
    """Deductions that are proved."""
    return case.has(f"{DEDUCTION}/documentos")


def _rule(code: str, is_broken: Callable[[Group, NoteCase], bool]) -> Rule[NoteCase]:
    def first_broken_document(case: NoteCase) -> Finding:
        documents = case.group(f"{DEDUCTION}/documentos").all("docDedRed")
        places = (place for place, one in enumerate(documents, 1) if is_broken(one, case))
        return next((f"docDedRed[{place}]" for place in places), None)

    return Rule(code, first_broken_document, has_documents)


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
    _rule("E0478", wrong_cnpj),
    _rule("E0484", wrong_cpf),
    _rule("E0490", without_reason),
    _rule("E0492", address_missing),
    _rule("E0494", city_of_supplier_unknown),
    _rule("E0496", zipcode_of_another_city),
    _rule("E0498", foreign_id_at_home),
    _rule("E0499", country_unknown),
    _rule("E1538", abroad_without_id),
)
