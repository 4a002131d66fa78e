"""Rules about the guides (GTV) of a CT-e OS of valuables (MOC CT-e, event 110170)."""

from carimbo.simulator.cte.dialect import GTV
from carimbo.simulator.cte.judged import JudgedCteEvent
from carimbo.simulator.group import Group
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.events import event_rule

_VALUABLES = "7"


def of_another_service(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 889."""
    return event.cte is not None and event.cte.service_type != _VALUABLES


def refers_to_electronic_guides(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 890."""
    return event.cte is not None and bool(event.cte.normal_part.all("infGTVe"))


def _identities(detail: Group) -> list[str]:
    """Returns what distinguishes the guides of an event."""
    guides = detail.all("infGTV")
    return ["/".join(guide.text(tag) for tag in ("id", "serie", "subserie", "nDoc")) for guide in guides]


def repeated_guide(event: JudgedCteEvent) -> bool:
    """MOC CT-e, 618."""
    guides = _identities(event.detail)
    return len(guides) != len(set(guides))


def guide_of_an_earlier_event(event: JudgedCteEvent) -> Finding:
    """MOC CT-e, 619."""
    earlier = {guide for detail in event.earlier_details(GTV) for guide in _identities(detail)}
    return next((f"[GTV:{guide}]" for guide in _identities(event.detail) if guide in earlier), None)


GUIDE_RULES: tuple[RejectionRule[JudgedCteEvent], ...] = (
    event_rule("889", of_another_service, (GTV,)),
    event_rule("890", refers_to_electronic_guides, (GTV,)),
    event_rule("618", repeated_guide, (GTV,)),
    event_rule("619", guide_of_an_earlier_event, (GTV,)),
)
