"""Rules about the amounts of a CT-e or CT-e OS: service, ICMS, IBS and CBS. State law is not judged."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES
from carimbo.simulator.calendar import Milestone, Rates
from carimbo.simulator.cte.judged import COMPLEMENT, SUBSTITUTION, JudgedTransport
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.identifiers import last_day_of_issue
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.rules.amounts import CENT, differs, differs_from_percent

_LARGEST = Decimal("9999999.99")
_NORMAL_REGIME = "3"
_TAXES = "imp/IBSCBS"
_FREE_AREA = "gALCZFMCBS"
# Amount, base and rate of each group of the ICMS.
_ICMS_FIELDS = {
    "ICMS00": ("vICMS", "vBC", "pICMS"),
    "ICMS20": ("vICMS", "vBC", "pICMS"),
    "ICMS60": ("vICMSSTRet", "vBCSTRet", "pICMSSTRet"),
    "ICMS90": ("vICMS", "vBC", "pICMS"),
    "ICMSOutraUF": ("vICMSOutraUF", "vBCOutraUF", "pICMSOutraUF"),
}


def too_expensive(cte: JudgedTransport) -> bool:
    """MOC CT-e, 650."""
    return cte.content.amount("vPrest/vTPrest") > _LARGEST


def wrong_icms(cte: JudgedTransport) -> bool:
    """MOC CT-e, 675."""
    around = cte.content.group("imp/ICMS")
    taxed = around.only() if around else None
    if taxed is None or taxed.tag not in _ICMS_FIELDS:
        return False
    amount, base, rate = map(taxed.amount, _ICMS_FIELDS[taxed.tag])
    return differs_from_percent(amount, base, rate)


def more_to_receive_than_the_service_costs(cte: JudgedTransport) -> bool:
    """MOC CT-e, 531."""
    return cte.content.amount("vPrest/vRec") > cte.content.amount("vPrest/vTPrest")


AMOUNT_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("650", too_expensive),
    RejectionRule("675", wrong_icms),
    RejectionRule("531", more_to_receive_than_the_service_costs),
)


def reform_taxes_missing(cte: JudgedTransport) -> bool:
    """NT 2026.004: documents of the normal regime have IBS and CBS."""
    if cte.content.group(_TAXES) is not None or cte.text("emit/CRT") != _NORMAL_REGIME:
        return False
    in_homologation = cte.text("ide/tpAmb") == HOMOLOGATION
    required = (
        Milestone.GROUP_REQUIRED_IN_HOMOLOGATION
        if in_homologation
        else Milestone.GROUP_REQUIRED_IN_PRODUCTION
    )
    return cte.follows(required) and not _complements_documents_without_taxes(cte)


def _complements_documents_without_taxes(cte: JudgedTransport) -> bool:
    """Whether all complemented documents are of months in which the group was optional.

    The exception is that of NF-e (NT 2025.002, UB12-10); the text of CT-e is not published.
    """
    since = cte.calendar.first_day(Milestone.CORRECTED_NOTES_HAVE_GROUP)
    if cte.kind != COMPLEMENT or since is None or cte.issued_on < since:
        return False
    days = map(last_day_of_issue, cte.complemented_keys)
    return all(day is not None and day < since for day in days)


def _wrong_share(group: str, name: str, law: Callable[[Rates], Decimal]) -> Callable[[JudgedTransport], bool]:
    """Returns a rule: a share has the rate in force, and the amount that follows from it.

    The codes of CT-e for this are not published: those of the rates of NF-e are used.
    """

    def is_wrong(cte: JudgedTransport) -> bool:
        share = cte.content.group(f"{_TAXES}/gIBSCBS/{group}")
        rates = cte.calendar.rates_on(_day_of_rates(cte))
        tax_class = IBS_CBS_CLASSES.rows.get(cte.text(f"{_TAXES}/cClassTrib"))
        if share is None or rates is None or tax_class is None:
            return False
        # The CBS of a free trade area is zero, and has a group with the amount that is not charged.
        is_free = tax_class.has_regular_taxation or _FREE_AREA in share.groups
        if share.amount(f"p{name}") != (0 if is_free else law(rates)):
            return True
        rate = share.amount("gRed/pAliqEfet" if "gRed" in share.groups else f"p{name}")
        due = cte.content.amount(f"{_TAXES}/gIBSCBS/vBC") * rate * CENT
        due -= share.amount("gDif/vDif") + share.amount("gDevTrib/vDevTrib")
        return differs(share.amount(f"v{name}"), due)

    return is_wrong


def _day_of_rates(cte: JudgedTransport) -> date:
    """Returns the day whose rates apply; a substitution repeats those of the replaced document."""
    replaced_by = last_day_of_issue(cte.replaced_key) if cte.kind == SUBSTITUTION else None
    return min(replaced_by, cte.issued_on) if replaced_by else cte.issued_on


REFORM_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("310", reform_taxes_missing),
    RejectionRule("1026", _wrong_share("gIBSUF", "IBSUF", lambda rates: rates.state)),
    RejectionRule("1036", _wrong_share("gIBSMun", "IBSMun", lambda rates: rates.city)),
    RejectionRule("1037", _wrong_share("gCBS", "CBS", lambda rates: rates.cbs)),
)
