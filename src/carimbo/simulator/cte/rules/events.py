"""Rules about events of CT-e, in the order in which the authorities check them (MOC CT-e, group N)."""

from collections.abc import Callable
from datetime import timedelta

from carimbo.simulator.cte.dialect import (
    CANCELLATION,
    CORRECTION,
    CTE,
    CTE_OS,
    DELIVERY_CANCELLATION,
    DISAGREEMENT,
    DISAGREEMENT_CANCELLATION,
    EVENT_TYPES,
    FAILED_DELIVERY_CANCELLATION,
)
from carimbo.simulator.cte.judged import COMPLEMENT, SUBSTITUTION, JudgedCteEvent
from carimbo.simulator.cte.rules.delivery import DELIVERIES, DELIVERY_RULES, has_delivery, undoes_nothing
from carimbo.simulator.cte.rules.guides import GUIDE_RULES
from carimbo.simulator.cte.rules.identification import EMISSION_AT
from carimbo.simulator.cte.rules.message import SIGNATURE_RULES
from carimbo.simulator.identifiers import KEY_EMISSION, KEY_MODEL
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.call import in_contingency, state_in
from carimbo.simulator.sefaz.rules import events
from carimbo.simulator.sefaz.rules.documents import refused_too_often
from carimbo.simulator.sefaz.rules.events import event_rule, state_rules
from carimbo.simulator.sefaz.rules.keys import impossible_key

_CANCELABLE = timedelta(hours=168)
_DISPUTABLE = timedelta(days=45)
_TAXES = frozenset({"ICMS00", "ICMS20", "ICMS45", "ICMS60", "ICMS90", "ICMSOutraUF", "ICMSSN"})
# Fields by group (MOC CT-e, 13; NT 2024.001).
_NEVER_CORRECTED = {
    "infCte": frozenset({"versao", "Id"}),
    "ide": frozenset(
        {"cUF", "cCT", "mod", "serie", "nCT", "tpEmis", "cDV", "tpAmb", "dhEmi", "modal", "CFOP", "cMunIni"}
    ),
    "toma3": frozenset({"toma"}),
    "toma": frozenset({"CNPJ", "CPF", "IE"}),
    "toma4": frozenset({"CNPJ", "CPF", "IE"}),
    "emit": frozenset({"CNPJ", "IE"}),
    "rem": frozenset({"CNPJ", "CPF", "IE"}),
    "enderReme": frozenset({"UF"}),
    "dest": frozenset({"CNPJ", "CPF", "IE"}),
    "enderDest": frozenset({"UF"}),
    "vPrest": frozenset({"vTPrest"}),
    "Comp": frozenset({"vComp"}),
    "infNFe": frozenset({"chave"}),
}


def unknown_type(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 629."""
    return event.type.code not in EVENT_TYPES


def key_of_another_model(*models: str) -> Callable[[JudgedCteEvent], bool]:
    """MOC CT-e, 732, 721 and 595: the key is of a model that the type is not for."""
    expected = frozenset(models)

    def is_broken(event: JudgedCteEvent) -> bool:
        return event.type.models == expected and event.access_key[KEY_MODEL] not in expected

    return is_broken


def misformed_detail(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 630: the element of the type against its own XSD."""
    return event.schema_fault


def organ_of_another_authority(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 677: a state that the authority does not serve, or another than the document's."""
    return events.organ_of_another_state(event) or events.document_of_another_state(event)


def other_emission_at_the_contingency(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 516."""
    if not in_contingency(event, state_in(event.access_key)):
        return False
    return event.access_key[KEY_EMISSION] != EMISSION_AT[event.service_path.authorizer]


def author_is_not_the_taker(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 755, if the document is known."""
    return event.cte is not None and event.author != event.cte.tax_id(event.cte.taker_role)


def document_has_another_key(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 600: the number of the document has another key."""
    finding = events.document_unknown(event)
    return finding if isinstance(finding, str) else None


FORM_RULES: tuple[RejectionRule[JudgedCteEvent], ...] = (
    RejectionRule("678", refused_too_often),
    RejectionRule("629", unknown_type),
    RejectionRule("630", misformed_detail),
    *SIGNATURE_RULES,
    RejectionRule("252", events.other_environment),
    RejectionRule("677", organ_of_another_authority),
    RejectionRule("627", events.wrong_company),
    RejectionRule("905", events.wrong_person),
    RejectionRule("628", events.id_differs_from_its_fields),
    RejectionRule("516", other_emission_at_the_contingency),
    RejectionRule("530", events.not_offered_in_contingency),
    RejectionRule("236", impossible_key),
    RejectionRule("732", key_of_another_model(CTE)),
    RejectionRule("721", key_of_another_model(CTE_OS)),
    RejectionRule("595", key_of_another_model(CTE, CTE_OS)),
    RejectionRule("631", events.registered_already),
    RejectionRule("632", events.author_is_not_the_issuer),
    RejectionRule("600", document_has_another_key),
    RejectionRule("217", events.document_unknown),
    event_rule("755", author_is_not_the_taker, (DISAGREEMENT, DISAGREEMENT_CANCELLATION)),
    RejectionRule("634", events.before_the_issue),
    RejectionRule("637", events.before_the_authorization),
    RejectionRule("635", events.in_the_future),
    RejectionRule("636", events.sequence_too_high),
)


def canceled_too_late(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 220."""
    return _is_older(event, _CANCELABLE)


def disputed_too_late(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 787."""
    return _is_older(event, _DISPUTABLE)


def _is_older(event: JudgedCteEvent, limit: timedelta) -> bool:
    return event.document is not None and event.context.now - event.document.received_at > limit


def corrected_before(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 523."""
    return any(earlier.type == CORRECTION.code for earlier in event.earlier)


def is_substitution(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 574."""
    return event.cte is not None and event.cte.kind == SUBSTITUTION


def has_substitute(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 576 and 664."""
    return event.cte is not None and bool(event.cte.referring(SUBSTITUTION))


def has_complement(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 660."""
    return event.cte is not None and bool(event.cte.referring(COMPLEMENT))


def is_in_manifest(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 528."""
    return event.cte is not None and event.cte.is_in_manifest


def corrects_what_may_not_change(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 681."""
    for correction in event.detail.all("infCorrecao"):
        group, name = correction.text("grupoAlterado"), correction.text("campoAlterado")
        if group in _TAXES or name in _NEVER_CORRECTED.get(group, frozenset()):
            return f"[{group}/{name}]"
    return None


TYPE_RULES: tuple[RejectionRule[JudgedCteEvent], ...] = (
    *state_rules(EVENT_TYPES.values()),
    event_rule(
        "222",
        events.other_protocol,
        (CANCELLATION, *DELIVERIES, DELIVERY_CANCELLATION, FAILED_DELIVERY_CANCELLATION),
    ),
    event_rule("220", canceled_too_late, (CANCELLATION,)),
    event_rule("523", corrected_before, (CANCELLATION,)),
    event_rule("574", is_substitution, (CANCELLATION,)),
    event_rule("576", has_substitute, (CANCELLATION,)),
    event_rule("660", has_complement, (CANCELLATION,)),
    event_rule("528", is_in_manifest, (CANCELLATION,)),
    event_rule("862", has_delivery, (CANCELLATION,)),
    event_rule("681", corrects_what_may_not_change, (CORRECTION,)),
    event_rule("787", disputed_too_late, (DISAGREEMENT,)),
    event_rule("664", has_substitute, (CORRECTION, DISAGREEMENT, DISAGREEMENT_CANCELLATION)),
    RejectionRule("866", undoes_nothing),
    *DELIVERY_RULES,
    *GUIDE_RULES,
)

EVENT_RULES: tuple[RejectionRule[JudgedCteEvent], ...] = (*FORM_RULES, *TYPE_RULES)
