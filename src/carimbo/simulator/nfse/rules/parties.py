"""Rules of provider, taker and intermediary (Anexo I, infDPS/prest, infDPS/toma and infDPS/interm)."""

from carimbo.fiscal.tables.service_codes import Incidence
from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.nfse.amounts import AT_BUYER, AT_RECIPIENT
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.nfse.stored_notes import party_tax_id
from carimbo.simulator.nfse.taxation import (
    has_special_regime,
    is_mei,
    is_small,
    is_untaxed,
    is_withheld_by_intermediary,
    is_withheld_by_taker,
    pays_iss_by_simples,
)
from carimbo.simulator.rules import RejectionRule

_PROVIDER = "prest"
_SIMPLES = "prest/regTrib/regApTribSN"
_TAKER, _INTERMEDIARY = "toma", "interm"
# Services performed away from the supplier: Anexo I lists them for E0187 and E0234, although their
# place is where they are performed (Anexo VII, V1.02.00).
_PERFORMED_ELSEWHERE = frozenset({"030102", "050102"})
# Anexo I leaves out telephony by cable, water and energy, and pipelines.
_AT_TAKER = (AT_BUYER | AT_RECIPIENT | _PERFORMED_ELSEWHERE) - {"090102", "110201", "130201"}


def provider_with_foreign_id(dps: JudgedDps) -> bool:
    """The provider, who issues, has a foreign tax id instead of a Brazilian one."""
    return dps.has("prest/NIF")


def provider_without_tax_id(dps: JudgedDps) -> bool:
    """The provider, who issues, has no tax id."""
    return dps.has("prest/cNaoNIF")


def provider_name_informed(dps: JudgedDps) -> bool:
    """The name of the issuer is informed, although the Sefin has it."""
    return dps.has("prest/xNome")


def provider_address_informed(dps: JudgedDps) -> bool:
    """The address of the issuer is informed, although the Sefin has it."""
    return dps.has("prest/end")


def simples_regime_out_of_place(dps: JudgedDps) -> bool:
    """The assessment regime of the Simples, which only ME and EPP inform."""
    return dps.has(_SIMPLES) and not is_small(dps)


def simples_regime_missing(dps: JudgedDps) -> bool:
    """An ME or EPP without its assessment regime of the Simples."""
    return is_small(dps) and not dps.has(_SIMPLES)


PROVIDER_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0080", persons.wrong_cnpj_of(_PROVIDER)),
    RejectionRule("E0096", persons.wrong_cpf_of(_PROVIDER)),
    RejectionRule("E0112", provider_with_foreign_id),
    RejectionRule("E0114", provider_without_tax_id),
    RejectionRule("E0121", provider_name_informed),
    RejectionRule("E0128", provider_address_informed),
    RejectionRule("E0148", persons.wrong_email_of(_PROVIDER)),
    RejectionRule("E0162", simples_regime_out_of_place),
    RejectionRule("E0166", simples_regime_missing),
    RejectionRule("E0172", is_untaxed, has_special_regime),
    RejectionRule("E0174", is_mei, has_special_regime),
    RejectionRule("E0175", pays_iss_by_simples, has_special_regime),
)


def by_company(dps: JudgedDps) -> bool:
    """Applies to declarations of companies; persons inform less."""
    return dps.has("prest/CNPJ")


def taker_missing(dps: JudgedDps) -> bool:
    """No taker, although the place of the operation is the taker's."""
    return dps.text("IBSCBS/cIndOp") in _AT_TAKER and not dps.has(_TAKER)


def provider_as_taker(dps: JudgedDps) -> bool:
    """Provider and taker are the same."""
    return dps.has("toma/CNPJ") and dps.text("toma/CNPJ") == dps.text("prest/CNPJ")


def taker_who_withholds_unknown(dps: JudgedDps) -> bool:
    """The taker withholds the ISS but has no tax id."""
    return is_withheld_by_taker(dps) and not party_tax_id(dps.group(_TAKER))


def address_missing(dps: JudgedDps) -> bool:
    """The taker's address is missing, although it decides where a tax is due."""
    if not dps.has(_TAKER) or dps.has("toma/end"):
        return False
    at_taker = dps.service is not None and dps.service.incidence is Incidence.TAKER
    return at_taker or dps.text("IBSCBS/cIndOp") in _AT_TAKER


def address_of_who_withholds_missing(dps: JudgedDps) -> bool:
    """The taker withholds the ISS but has no Brazilian address."""
    return (
        is_withheld_by_taker(dps) and bool(party_tax_id(dps.group(_TAKER))) and not dps.has("toma/end/endNac")
    )


def provider_as_intermediary(dps: JudgedDps) -> bool:
    """The intermediary is the provider's own company."""
    intermediary = dps.text("interm/CNPJ")
    return bool(intermediary) and tax_id_base(intermediary) == tax_id_base(dps.text("prest/CNPJ"))


def intermediary_who_withholds_unknown(dps: JudgedDps) -> bool:
    """The intermediary withholds the ISS but has no tax id."""
    return is_withheld_by_intermediary(dps) and not party_tax_id(dps.group(_INTERMEDIARY))


def address_of_intermediary_missing(dps: JudgedDps) -> bool:
    """The intermediary withholds the ISS but has no Brazilian address."""
    has_tax_id = bool(party_tax_id(dps.group(_INTERMEDIARY)))
    return is_withheld_by_intermediary(dps) and has_tax_id and not dps.has("interm/end/endNac")


PARTY_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0187", taker_missing),
    RejectionRule("E0188", persons.wrong_cnpj_of(_TAKER)),
    RejectionRule("E0202", provider_as_taker),
    RejectionRule("E0204", taker_who_withholds_unknown),
    RejectionRule("E0206", persons.wrong_cpf_of(_TAKER)),
    RejectionRule("E0223", persons.abroad_without_id(_TAKER)),
    RejectionRule("E0226", persons.without_reason(_TAKER)),
    RejectionRule("E0234", address_missing),
    RejectionRule("E0237", address_of_who_withholds_missing),
    RejectionRule("E0238", persons.city_unknown_of(_TAKER)),
    RejectionRule("E0240", persons.zipcode_of_another_city(_TAKER)),
    RejectionRule("E0242", persons.foreign_id_at_home(_TAKER), by_company),
    RejectionRule("E0246", persons.country_unknown_of(_TAKER)),
    RejectionRule("E0247", persons.wrong_email_of(_TAKER)),
    RejectionRule("E0248", persons.wrong_cnpj_of(_INTERMEDIARY)),
    RejectionRule("E0262", provider_as_intermediary),
    RejectionRule("E0264", intermediary_who_withholds_unknown),
    RejectionRule("E0266", persons.wrong_cpf_of(_INTERMEDIARY)),
    RejectionRule("E0281", persons.abroad_without_id(_INTERMEDIARY)),
    RejectionRule("E0286", persons.without_reason(_INTERMEDIARY)),
    RejectionRule("E0293", address_of_intermediary_missing),
    RejectionRule("E0294", persons.city_unknown_of(_INTERMEDIARY)),
    RejectionRule("E0296", persons.zipcode_of_another_city(_INTERMEDIARY)),
    RejectionRule("E0298", persons.foreign_id_at_home(_INTERMEDIARY), by_company),
    RejectionRule("E0299", persons.country_unknown_of(_INTERMEDIARY)),
    RejectionRule("E0300", persons.wrong_email_of(_INTERMEDIARY)),
)
