"""Rules about the issuer of a document: its tax id, its state registration and its city (CT-e and MDF-e)."""

from carimbo.fiscal.tables.geography import MUNICIPALITIES, STATES
from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.sefaz.judged import JudgedDocument
from carimbo.simulator.sefaz.rules.documents import state_of


def issuer_in_another_state(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 247."""
    return document.text("emit/enderEmit/UF") != state_of(document)


def wrong_company(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 207."""
    return bool(document.text("emit/CNPJ")) and not is_cnpj(document.text("emit/CNPJ"))


def wrong_person(document: JudgedDocument) -> bool:
    """MOC MDF-e, 210."""
    return bool(document.text("emit/CPF")) and not is_cpf(document.text("emit/CPF"))


def without_registration(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 229."""
    return not document.text("emit/IE")


def wrong_registration(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 209: zeros; check digits, which differ by state, are not checked."""
    return bool(document.text("emit/IE")) and not document.text("emit/IE").strip("0")


def registration_unknown(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 230: the issuer is in the register of its state, but with another registration.

    An issuer that is not in the register is accepted, because nobody has to fill it.
    """
    return _is_registered_otherwise(document) and not _holders_of_registration(document)


def registration_of_another(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 231: as above, and the registration is of another taxpayer."""
    return _is_registered_otherwise(document) and bool(_holders_of_registration(document))


def issuer_not_enabled(document: JudgedDocument) -> bool:
    """MOC CT-e and MDF-e, 203."""
    registration = document.text("emit/IE")
    return any(
        issuer.registration == registration and not issuer.is_active for issuer in _registrations(document)
    )


def _is_registered_otherwise(document: JudgedDocument) -> bool:
    registrations = {issuer.registration for issuer in _registrations(document)}
    return bool(registrations) and document.text("emit/IE") not in registrations


def _registrations(document: JudgedDocument) -> list[Contributor]:
    return Contributors(document.context.store).of_tax_id(state_of(document), document.author)


def _holders_of_registration(document: JudgedDocument) -> list[Contributor]:
    register = Contributors(document.context.store)
    return register.of_registration(state_of(document), document.text("emit/IE"))


def issuer_in_a_city_of_another_state(document: JudgedDocument) -> bool:
    """MOC CT-e, 712; MOC MDF-e, 407."""
    state = STATES.rows.get(document.text("emit/enderEmit/UF"))
    return state is not None and document.text("emit/enderEmit/cMun")[:2] != state.ibge


def issuer_in_unknown_city(document: JudgedDocument) -> bool:
    """MOC CT-e, 713; MOC MDF-e, 408."""
    return document.text("emit/enderEmit/cMun") not in MUNICIPALITIES
