"""Who takes the service, and who stands between (Anexo I, infDPS/toma and infDPS/interm)."""

from carimbo.fiscal.tables.national_services import Incidence
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.parties import tax_id
from carimbo.simulator.nfse.reform_amounts import AT_BUYER, AT_RECIPIENT
from carimbo.simulator.nfse.regimes import is_withheld_by_intermediary, is_withheld_by_taker
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.rule import Rule
from carimbo.simulator.tax_ids import base

_TAKER, _INTERMEDIARY = "toma", "interm"
# Services that are performed away from the supplier: Anexo I lists them for E0187 and E0234, although they
# take place where they are performed (Anexo VII, V1.02.00).
_PERFORMED_ELSEWHERE = frozenset({"030102", "050102"})
# Anexo I leaves out telephony by cable, water and energy, and pipelines.
_AT_TAKER = (AT_BUYER | AT_RECIPIENT | _PERFORMED_ELSEWHERE) - {"090102", "110201", "130201"}


def by_company(case: NoteCase) -> bool:
    """Declarations of companies: persons who issue tell less."""
    return case.has("prest/CNPJ")


def taker_missing(case: NoteCase) -> bool:
    """Nobody, where the operation counts as done at somebody's."""
    return case.text("IBSCBS/cIndOp") in _AT_TAKER and not case.has(_TAKER)


def provider_as_taker(case: NoteCase) -> bool:
    """Services to oneself."""
    return case.has("toma/CNPJ") and case.text("toma/CNPJ") == case.text("prest/CNPJ")


def taker_who_withholds_unknown(case: NoteCase) -> bool:
    """Nobody could pay the tax that is withheld."""
    return is_withheld_by_taker(case) and not tax_id(case.group(_TAKER))


def address_missing(case: NoteCase) -> bool:
    """Where the taker is settles where a tax is due."""
    if not case.has(_TAKER) or case.has("toma/end"):
        return False
    at_taker = case.service is not None and case.service.incidence is Incidence.TAKER
    return at_taker or case.text("IBSCBS/cIndOp") in _AT_TAKER


def address_of_who_withholds_missing(case: NoteCase) -> bool:
    """Who withholds the tax is somewhere in Brazil."""
    return is_withheld_by_taker(case) and bool(tax_id(case.group(_TAKER))) and not case.has("toma/end/endNac")


def provider_as_intermediary(case: NoteCase) -> bool:
    """Another place of the provider's own company."""
    intermediary = case.text("interm/CNPJ")
    return bool(intermediary) and base(intermediary) == base(case.text("prest/CNPJ"))


def intermediary_who_withholds_unknown(case: NoteCase) -> bool:
    """Nobody could pay the tax that is withheld."""
    return is_withheld_by_intermediary(case) and not tax_id(case.group(_INTERMEDIARY))


def address_of_intermediary_missing(case: NoteCase) -> bool:
    """Who withholds the tax is somewhere in Brazil."""
    is_known = bool(tax_id(case.group(_INTERMEDIARY)))
    return is_withheld_by_intermediary(case) and is_known and not case.has("interm/end/endNac")


PARTY_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0187", taker_missing),
    Rule("E0188", persons.wrong_cnpj_of(_TAKER)),
    Rule("E0202", provider_as_taker),
    Rule("E0204", taker_who_withholds_unknown),
    Rule("E0206", persons.wrong_cpf_of(_TAKER)),
    Rule("E0223", persons.abroad_without_id(_TAKER)),
    Rule("E0226", persons.without_reason(_TAKER)),
    Rule("E0234", address_missing),
    Rule("E0237", address_of_who_withholds_missing),
    Rule("E0238", persons.city_unknown_of(_TAKER)),
    Rule("E0240", persons.zipcode_of_another_city(_TAKER)),
    Rule("E0242", persons.foreign_id_at_home(_TAKER), by_company),
    Rule("E0246", persons.country_unknown_of(_TAKER)),
    Rule("E0247", persons.wrong_email_of(_TAKER)),
    Rule("E0248", persons.wrong_cnpj_of(_INTERMEDIARY)),
    Rule("E0262", provider_as_intermediary),
    Rule("E0264", intermediary_who_withholds_unknown),
    Rule("E0266", persons.wrong_cpf_of(_INTERMEDIARY)),
    Rule("E0281", persons.abroad_without_id(_INTERMEDIARY)),
    Rule("E0286", persons.without_reason(_INTERMEDIARY)),
    Rule("E0293", address_of_intermediary_missing),
    Rule("E0294", persons.city_unknown_of(_INTERMEDIARY)),
    Rule("E0296", persons.zipcode_of_another_city(_INTERMEDIARY)),
    Rule("E0298", persons.foreign_id_at_home(_INTERMEDIARY), by_company),
    Rule("E0299", persons.country_unknown_of(_INTERMEDIARY)),
    Rule("E0300", persons.wrong_email_of(_INTERMEDIARY)),
)
