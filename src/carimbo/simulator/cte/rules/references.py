"""Rules about complements and substitutions: the documents that they refer to."""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from carimbo.simulator.cte.dialect import DISAGREEMENT
from carimbo.simulator.cte.judged import (
    COMPLEMENT,
    NORMAL,
    SUBSTITUTION,
    JudgedCte,
    JudgedTransport,
    live_events,
)
from carimbo.simulator.cte.rules.parties import state_of_taker
from carimbo.simulator.identifiers import KEY_ISSUER, last_day_of_issue, tax_id_base
from carimbo.simulator.rules import Finding, RejectionRule, first_finding
from carimbo.simulator.sefaz.rules.keys import (
    holder_with_another_key,
    impossible_reference,
    impossible_references,
    repeated_key,
)

_NORMAL_EMISSION = "1"
_ORIGINALS = frozenset({NORMAL, SUBSTITUTION})
_REPLACEABLE = timedelta(days=60)
_MAX_COMPLEMENTS = 10
_COMPLEMENTABLE_MONTHS = 12
# By water, by rail, and multimodal.
_COMPLEMENTABLE_MONTHS_OF_MODE = {"03": 24, "04": 24, "06": 24}
_Comparison = Callable[[JudgedTransport, JudgedTransport], bool]
DocumentT = TypeVar("DocumentT", bound=JudgedTransport)


def is_substitution(cte: JudgedTransport) -> bool:
    """Returns whether a document replaces another."""
    return cte.kind == SUBSTITUTION


def replaces_in_contingency(cte: JudgedTransport) -> bool:
    """MOC CT-e, 503."""
    return cte.emission != _NORMAL_EMISSION


def replaces_nothing(cte: JudgedTransport) -> bool:
    """MOC CT-e, 505."""
    return not cte.replaced_key


def impossible_original(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 847 and 858."""
    model = cte.dialect.model_at(cte.service_path)
    return bool(cte.replaced_key) and impossible_reference(cte, cte.replaced_key, model)


def original_has_another_key(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 673: the number of the replaced document has another key."""
    return bool(cte.replaced_key) and holder_with_another_key(cte, "chCTe", cte.replaced_key)


def original_unknown(cte: JudgedTransport) -> bool:
    """MOC CT-e, 568."""
    return bool(cte.replaced_key) and cte.replaced is None


def original_canceled(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 569."""
    return original.stored is not None and original.stored.is_canceled


def replaced_already(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 570; a substitution that is sent again is a duplicate of itself."""
    return any(other.access_key != cte.access_key for other in original.referring(SUBSTITUTION))


def original_complemented(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 659."""
    return bool(original.referring(COMPLEMENT))


def original_is_a_complement(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 571."""
    return original.kind not in _ORIGINALS


def without_disagreement(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 739: the taker has disagreed with the service."""
    events = cte.ledger.events(cte.service_path.environment, original.access_key)
    return not live_events(events, DISAGREEMENT)


def replaced_too_late(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 563: 60 days after the authorization."""
    stored = original.stored
    return stored is not None and cte.context.now - stored.received_at > _REPLACEABLE


def of_another_issuer(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 510."""
    return cte.author != original.author


def other_taker(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 552; a substitution can change the taker if it says so."""
    return not _changes_the_taker(cte) and taker_differs(cte, original)


def other_role_of_the_taker(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 738."""
    return not _changes_the_taker(cte) and cte.taker_role != original.taker_role


def taker_differs(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 804."""
    return cte.tax_id(cte.taker_role) != original.tax_id(original.taker_role)


def new_taker_is_no_party(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 740: the new taker is of the company of a party of the replaced document."""
    parties = {tax_id_base(tax_id) for tax_id in map(original.tax_id, original.parties) if tax_id}
    return _changes_the_taker(cte) and tax_id_base(cte.tax_id(cte.taker_role)) not in parties


def new_taker_in_another_state(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 741."""
    return _changes_the_taker(cte) and state_of_taker(cte) != state_of_taker(original)


def same_taker(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 742: a substitution that changes the taker has another one."""
    return _changes_the_taker(cte) and not taker_differs(cte, original)


def other_invoices(cte: JudgedCte, original: JudgedCte) -> bool:
    """MOC CT-e, 734."""
    return set(cte.invoice_keys) != set(original.invoice_keys)


def _changes_the_taker(cte: JudgedTransport) -> bool:
    return bool(cte.normal_part.text("infCteSub/indAlteraToma"))


def _about_original(code: str, broken: Callable[[DocumentT, DocumentT], bool]) -> RejectionRule[DocumentT]:
    """Returns a rule about the replaced document, if it is known."""

    def is_broken(cte: DocumentT) -> bool:
        return cte.replaced is not None and broken(cte, cte.replaced)

    return RejectionRule(code, is_broken, is_substitution)


def _other_party(path: str) -> _Comparison:
    """MOC CT-e, 511, 512, 550, 551 and 800 to 803."""
    return lambda cte, original: cte.tax_id(path) != original.tax_id(path)


def _other_text(path: str) -> _Comparison:
    """MOC CT-e, 553, 559, 560, 805, 811, 812, 834 and 835."""
    return lambda cte, original: cte.text(path) != original.text(path)


_ABOUT_ORIGINAL: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("673", original_has_another_key, is_substitution),
    RejectionRule("568", original_unknown, is_substitution),
    _about_original("569", original_canceled),
    _about_original("570", replaced_already),
    _about_original("659", original_complemented),
    _about_original("739", without_disagreement),
    _about_original("571", original_is_a_complement),
    _about_original("510", of_another_issuer),
)
_SAME_AS_REPLACED: tuple[RejectionRule[JudgedTransport], ...] = (
    _about_original("553", _other_text("emit/IE")),
    _about_original("559", _other_text("ide/UFIni")),
    _about_original("560", _other_text("ide/UFFim")),
    _about_original("834", _other_text("ide/tpServ")),
    _about_original("563", replaced_too_late),
)
SUBSTITUTION_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("503", replaces_in_contingency, is_substitution),
    RejectionRule("505", replaces_nothing, is_substitution),
    RejectionRule("847", impossible_original, is_substitution),
    *_ABOUT_ORIGINAL,
    _about_original("511", _other_party("rem")),
    _about_original("512", _other_party("dest")),
    _about_original("550", _other_party("exped")),
    _about_original("551", _other_party("receb")),
    _about_original("738", other_role_of_the_taker),
    _about_original("552", other_taker),
    _about_original("740", new_taker_is_no_party),
    _about_original("741", new_taker_in_another_state),
    _about_original("742", same_taker),
    _about_original("734", other_invoices),
    *_SAME_AS_REPLACED,
)
OS_SUBSTITUTION_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("503", replaces_in_contingency, is_substitution),
    RejectionRule("505", replaces_nothing, is_substitution),
    RejectionRule("858", impossible_original, is_substitution),
    *_ABOUT_ORIGINAL,
    _about_original("552", other_taker),
    *_SAME_AS_REPLACED,
)


def is_complement(cte: JudgedTransport) -> bool:
    """Returns whether a document adds an amount to another."""
    return cte.kind == COMPLEMENT


def complements_anothers_document(cte: JudgedTransport) -> bool:
    """MOC CT-e, 269."""
    return any(key[KEY_ISSUER] != cte.author.zfill(14) for key in cte.complemented_keys)


def impossible_complemented(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 849 and 859."""
    return impossible_references(cte, cte.complemented_keys, cte.dialect.model_at(cte.service_path))


def complemented_named_twice(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 907."""
    return repeated_key("chCTe", cte.complemented_keys)


def complemented_too_late(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 933: too many months from the month of a key to the authorization."""
    limit = _COMPLEMENTABLE_MONTHS_OF_MODE.get(cte.mode, _COMPLEMENTABLE_MONTHS)
    today = cte.context.now.astimezone(cte.issued_at.tzinfo)
    for key in cte.complemented_keys:
        issued_by = last_day_of_issue(key)
        if issued_by and (today.year - issued_by.year) * 12 + today.month - issued_by.month > limit:
            return f"[chCTe:{key}]"
    return None


def complemented_has_another_key(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 671."""
    return first_finding(holder_with_another_key(cte, "chCTe", key) for key in cte.complemented_keys)


def complemented_unknown(cte: JudgedTransport) -> Finding:
    """MOC CT-e, 267."""
    stored = {original.access_key for original in cte.complemented}
    return first_finding(f"[chCTe:{key}]" for key in cte.complemented_keys if key not in stored)


def complements_a_complement(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 491."""
    return original.kind not in _ORIGINALS


def complemented_replaced(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 657."""
    return bool(original.referring(SUBSTITUTION))


def complemented_too_often(cte: JudgedTransport, original: JudgedTransport) -> bool:
    """MOC CT-e, 520."""
    others = [other for other in original.referring(COMPLEMENT) if other.access_key != cte.access_key]
    return len(others) >= _MAX_COMPLEMENTS


def _about_complemented(code: str, broken: _Comparison) -> RejectionRule[JudgedTransport]:
    """Returns a rule about every complemented document that is known."""
    return RejectionRule(
        code, lambda cte: any(broken(cte, original) for original in cte.complemented), is_complement
    )


_ABOUT_COMPLEMENTED: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("907", complemented_named_twice, is_complement),
    RejectionRule("933", complemented_too_late, is_complement),
    RejectionRule("269", complements_anothers_document, is_complement),
    RejectionRule("671", complemented_has_another_key, is_complement),
    RejectionRule("267", complemented_unknown, is_complement),
    _about_complemented("491", complements_a_complement),
    _about_complemented("655", original_canceled),
    _about_complemented("657", complemented_replaced),
    _about_complemented("520", complemented_too_often),
)
_SAME_AS_COMPLEMENTED: tuple[RejectionRule[JudgedTransport], ...] = (
    _about_complemented("804", taker_differs),
    _about_complemented("805", _other_text("emit/IE")),
    _about_complemented("811", _other_text("ide/UFIni")),
    _about_complemented("812", _other_text("ide/UFFim")),
    _about_complemented("835", _other_text("ide/tpServ")),
)
COMPLEMENT_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("849", impossible_complemented, is_complement),
    *_ABOUT_COMPLEMENTED,
    _about_complemented("800", _other_party("rem")),
    _about_complemented("801", _other_party("dest")),
    _about_complemented("802", _other_party("exped")),
    _about_complemented("803", _other_party("receb")),
    *_SAME_AS_COMPLEMENTED,
)
OS_COMPLEMENT_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("859", impossible_complemented, is_complement),
    *_ABOUT_COMPLEMENTED,
    *_SAME_AS_COMPLEMENTED,
)
