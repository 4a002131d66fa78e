"""Rules about other open MDF-e, which block an MDF-e until they are closed or canceled."""

from collections.abc import Callable
from datetime import timedelta

from carimbo.simulator.mdfe.dialect import INCLUSION
from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.mdfe.manifests import OpenManifest
from carimbo.simulator.rules import Finding, RejectionRule

_SHORT_TRIP, _LONGEST_TRIP = timedelta(days=5), timedelta(days=30)
_MOST_STATES_BETWEEN = 2
_LOADED_WITHIN = timedelta(hours=168)


def _blocked(blocks: Callable[[OpenManifest, JudgedMdfe], bool]) -> Callable[[JudgedMdfe], Finding]:
    """Returns a rule: another open MDF-e of the vehicle blocks this one; the answer has the oldest."""

    def is_blocked(mdfe: JudgedMdfe) -> Finding:
        return next((manifest.detail for manifest in mdfe.open_of_vehicle if blocks(manifest, mdfe)), None)

    return is_blocked


def same_way(manifest: OpenManifest, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 611: by the same type of issuer, to the same state."""
    return (manifest.trip.issuer_type, manifest.trip.end_state) == (mdfe.issuer_type, mdfe.end)


def opposite_way(manifest: OpenManifest, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 662: by the same type of issuer, from where this one ends to where it starts."""
    trip = manifest.trip
    opposite = (mdfe.issuer_type, mdfe.end, mdfe.start)
    return (trip.issuer_type, trip.start_state, trip.end_state) == opposite


def open_too_long(manifest: OpenManifest, mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 462: for more than five days, with at most two states between loading and unloading."""
    is_old = mdfe.context.now - manifest.authorized_at > _SHORT_TRIP
    return is_old and manifest.trip.states_between <= _MOST_STATES_BETWEEN


def issuer_has_an_old_one(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 686: an open MDF-e of the issuer, in any mode, for more than thirty days."""
    for manifest in mdfe.open_manifests.of_issuer(mdfe.author, limit=1):
        if mdfe.context.now - manifest.authorized_at > _LONGEST_TRIP:
            return manifest.detail
    return None


def issuer_never_loaded(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 712: an open MDF-e of the issuer that was to load later has no documents after 168 hours."""
    before = mdfe.context.now - _LOADED_WITHIN
    manifests = mdfe.open_manifests.without_inclusion(mdfe.author, INCLUSION.code, before)
    return next((manifest.detail for manifest in manifests), None)


OPEN_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("611", _blocked(same_way)),
    RejectionRule("662", _blocked(opposite_way)),
    RejectionRule("462", _blocked(open_too_long)),
    RejectionRule("686", issuer_has_an_old_one),
    RejectionRule("712", issuer_never_loaded),
)
