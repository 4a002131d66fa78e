"""Rules about the ICMS of a service, and about the share of the state where it ends."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cte_v4.taxes import (
    ServiceIcms00,
    ServiceIcms20,
    ServiceIcms45,
    ServiceIcms60,
    ServiceIcms90,
    ServiceIcmsOfAnotherState,
    ServiceIcmsOfSimples,
)
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.taxes.checks import percent_mismatch
from carimbo.fiscal.transport.icms import AIR_RATE, icms_amount, rate_between_states, share_amounts
from carimbo.fiscal.transport.places import ABROAD
from carimbo.fiscal.transport.rules.rule import AIR, CONTRIBUTOR, TransportCheck, TransportInput, manual

RULES: RuleBook[TransportCheck] = RuleBook()
SHARE_RULES: RuleBook[TransportCheck] = RuleBook(
    when=lambda document: document.waybill.taxes.state_share is not None
)

ICMS_ABOVE_PRICE, ICMS_BASE, ICMS_CREDIT = "ICMS_ABOVE_PRICE", "ICMS_BASE", "ICMS_CREDIT"
ICMS_RATE, AIR_ICMS_RATE = "ICMS_RATE", "AIR_ICMS_RATE"
ICMS_STATE, ICMS_ABROAD = "ICMS_STATE", "ICMS_ABROAD"
STATE_SHARE, STATE_SHARE_AMOUNT = "STATE_SHARE", "STATE_SHARE_AMOUNT"
_ICMS, _SHARE = manual("ICMS"), "Convênio ICMS 236/2021"
_WITHOUT_AMOUNT = (ServiceIcms45, ServiceIcmsOfSimples)
_OF_THE_ISSUERS_STATE = (ServiceIcms00, ServiceIcms20, ServiceIcms90)


@RULES.rule("675", _ICMS, "O valor do ICMS não é a base vezes a alíquota.")
def amount_of_icms(document: TransportInput) -> At | None:
    """Refuses an ICMS that differs by more than a cent from base times rate."""
    icms = document.waybill.taxes.icms
    if isinstance(icms, _WITHOUT_AMOUNT):
        return None
    return percent_mismatch("icms.amount", icms.amount, icms.base, icms.rate)


@RULES.rule(
    ICMS_ABOVE_PRICE,
    _ICMS,
    "O ICMS é maior que o valor da prestação.",
    hint="Confira a base e o valor do ICMS e de stateShare.",
)
def icms_above_the_price(document: TransportInput) -> At | None:
    """Refuses ICMS above the price that includes it; IBS and CBS would have no base."""
    taxes, price = document.waybill.taxes, document.waybill.price.amount
    if icms_amount(taxes.icms) > price:
        return At("icms")
    return At("stateShare") if icms_amount(taxes.icms) + share_amounts(taxes.state_share) > price else None


# States may prescribe a minimum price of freights.
@RULES.rule(
    ICMS_BASE,
    _ICMS,
    "A base do ICMS é maior que o valor da prestação.",
    hint="Corrija icms.base, ou retire-a para que seja calculada.",
    severity=Severity.WARNS,
)
def base_above_the_price(document: TransportInput) -> At | None:
    """Warns of a base above the price."""
    icms = document.waybill.taxes.icms
    if isinstance(icms, _WITHOUT_AMOUNT) or icms.base <= document.waybill.price.amount:
        return None
    return At("icms.base")


@RULES.rule(ICMS_CREDIT, _ICMS, "O crédito outorgado é maior que o ICMS.", hint="Corrija icms.creditAmount.")
def credit_above_the_tax(document: TransportInput) -> At | None:
    """Refuses a granted credit above the tax."""
    icms = document.waybill.taxes.icms
    if not isinstance(icms, ServiceIcms60 | ServiceIcms90):
        return None
    return At("icms.creditAmount") if (icms.credit_amount or ZERO) > icms.amount else None


@RULES.rule(
    ICMS_RATE,
    "Resolução do Senado 22/1989",
    "A alíquota não é a interestadual entre os dois estados.",
    hint="Corrija icms.rate, ou retire-a para que seja usada a interestadual.",
    severity=Severity.WARNS,
)
def rate_between_the_states(document: TransportInput) -> At | None:
    """Warns of a rate between two states that is not the interstate one."""
    icms = document.waybill.taxes.icms
    if isinstance(icms, _WITHOUT_AMOUNT) or not document.has_interstate_rate:
        return None
    expected = rate_between_states(document.start_state, document.end_state)
    return None if icms.rate == expected else At("icms.rate", f"Esperado: {expected}.")


@RULES.rule(
    AIR_ICMS_RATE,
    "Resolução do Senado 95/1996",
    "A alíquota do transporte aéreo entre estados a contribuintes é de 4%.",
    hint="Corrija icms.rate, ou retire-a para que seja usada a de 4%.",
    severity=Severity.WARNS,
)
def rate_of_air_transport(document: TransportInput) -> At | None:
    """Warns of another rate in an interstate transport by air to a contributor."""
    icms, identification = document.waybill.taxes.icms, document.identification
    is_by_air = identification.mode == AIR and identification.taker_contribution == CONTRIBUTOR
    if not is_by_air or not document.is_interstate or isinstance(icms, _WITHOUT_AMOUNT):
        return None
    return None if icms.rate == AIR_RATE else At("icms.rate")


@RULES.rule(
    ICMS_STATE,
    "LC 87/1996, art. 11, II",
    "O ICMS é devido à UF onde a prestação começa, e o CST informado o indica para outra.",
    hint="Retire icms.cst e icms.otherState para que saiam do município de início, ou corrija-os.",
    severity=Severity.WARNS,
)
def state_that_receives_the_tax(document: TransportInput) -> At | None:
    """Warns of ICMS of the issuer's state for a service that starts elsewhere, and the other way round."""
    icms, start = document.waybill.taxes.icms, document.start_state
    if start in ("", ABROAD):
        return None
    starts_here = start == document.issuer_state
    if isinstance(icms, ServiceIcmsOfAnotherState) and starts_here:
        return At("icms.otherState")
    return At("icms.cst") if isinstance(icms, _OF_THE_ISSUERS_STATE) and not starts_here else None


@RULES.rule(
    ICMS_ABROAD,
    "LC 87/1996, art. 3º, II",
    "A prestação termina no exterior, e o ICMS não incide sobre ela.",
    hint="Use icms.cst 41, ou confira por que o ICMS é devido.",
    severity=Severity.WARNS,
)
def taxed_service_to_another_country(document: TransportInput) -> At | None:
    """Warns of ICMS on a service that ends in another country."""
    is_taxed = icms_amount(document.waybill.taxes.icms) > ZERO
    return At("icms.cst") if document.end_state == ABROAD and is_taxed else None


@SHARE_RULES.rule(
    STATE_SHARE,
    _SHARE,
    "Só a prestação tributada entre estados, por empresa que não recolhe o ICMS no Simples, tem ICMS da UF de"
    " término.",
    hint="Retire stateShare.",
)
def share_out_of_place(document: TransportInput) -> At | None:
    """Refuses a share within one state, to another country, in Simples Nacional and without own ICMS."""
    is_taxed = not isinstance(document.waybill.taxes.icms, (*_WITHOUT_AMOUNT, ServiceIcms60))
    return None if document.is_interstate and is_taxed else At("stateShare")


@SHARE_RULES.rule(
    STATE_SHARE,
    _SHARE,
    "O tomador é contribuinte, e o ICMS da UF de término só é devido com tomador não contribuinte.",
    hint="Retire stateShare.",
    severity=Severity.WARNS,
)
def share_of_a_contributor(document: TransportInput) -> At | None:
    """Warns of a share if the taker contributes ICMS."""
    is_contributor = document.identification.taker_contribution == CONTRIBUTOR
    return At("stateShare") if is_contributor else None


@SHARE_RULES.rule(
    STATE_SHARE_AMOUNT,
    _SHARE,
    "O valor não é a base vezes a alíquota da UF de término.",
    hint="Retire o valor para que seja calculado, ou ajuste a base e as alíquotas de stateShare.",
)
def amounts_of_the_share(document: TransportInput) -> Iterator[At]:
    """Refuses amounts that differ by more than a cent from base times rate; the start state gets nothing."""
    share = document.waybill.taxes.state_share
    if share is None:
        return
    difference = max(ZERO, share.internal_rate - share.interstate_rate)
    for at in (
        percent_mismatch("stateShare.fcpAmount", share.fcp_amount, share.base, share.fcp_rate),
        percent_mismatch("stateShare.destinationAmount", share.destination_amount, share.base, difference),
        percent_mismatch("stateShare.originAmount", share.origin_amount, ZERO, ZERO),
    ):
        if at:
            yield at
