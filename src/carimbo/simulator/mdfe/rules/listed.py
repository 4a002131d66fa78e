"""Rules about the documents that an MDF-e lists: CT-e, NF-e, and MDF-e of vehicles on a ship."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from carimbo.simulator.group import Group
from carimbo.simulator.mdfe.dialect import MDFE
from carimbo.simulator.mdfe.judged import (
    AIR,
    CARRIER,
    GLOBALIZED_CARRIER,
    OWN_CARGO,
    ROAD,
    WATER,
    JudgedMdfe,
)
from carimbo.simulator.rules import Finding, RejectionRule, first_finding
from carimbo.simulator.sefaz.rules.keys import (
    canceled_reference,
    holder_with_another_key,
    impossible_references,
    old_reference,
    repeated_key,
)

CTE, NFE = "57", "55"
_ON_RIVERS = frozenset({"AM", "AP"})
_Keys = Callable[[JudgedMdfe], Sequence[str]]


def invoices_of_a_carrier(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 638."""
    return mdfe.issuer_type == CARRIER and bool(mdfe.nfe_keys)


def waybills_of_own_cargo(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 639."""
    return mdfe.issuer_type == OWN_CARGO and bool(mdfe.cte_keys)


def waybills_before_a_globalized_one(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 540."""
    return mdfe.issuer_type == GLOBALIZED_CARRIER and bool(mdfe.cte_keys)


def city_without_documents(mdfe: JudgedMdfe) -> Finding:
    """MOC MDF-e, 616, unless events name the documents."""
    if mdfe.loads_later:
        return None
    for unloading in mdfe.unloadings:
        if not unloading.groups:
            return f"[cMunDescarga:{unloading.text('cMunDescarga')}]"
    return None


def _repeated(group: str, tag: str) -> Callable[[JudgedMdfe], Finding]:
    """MOC MDF-e, 668 and 669: between states in the whole document, within a state in a city."""

    def is_repeated(mdfe: JudgedMdfe) -> Finding:
        in_cities = [_keys_of(unloading, group, tag) for unloading in mdfe.unloadings]
        if mdfe.start != mdfe.end:
            return repeated_key(tag, chain.from_iterable(in_cities))
        return first_finding(repeated_key(tag, keys) for keys in in_cities)

    return is_repeated


def _keys_of(unloading: Group, group: str, tag: str) -> list[str]:
    return [document.text(tag) for document in unloading.all(group)]


def partial_delivery_off_the_air(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 702."""
    documents = [document for unloading in mdfe.unloadings for document in unloading.all("infCTe")]
    return mdfe.mode != AIR and any(document.has("infEntregaParcial") for document in documents)


def lists_manifests(mdfe: JudgedMdfe) -> bool:
    """Returns whether a document lists MDF-e."""
    return bool(mdfe.mdfe_keys)


def manifests_off_the_water(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 647."""
    return mdfe.mode != WATER


def manifests_off_the_rivers(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 648."""
    return not _ON_RIVERS & {mdfe.start, mdfe.end}


def _any_listed(broken: Callable[[JudgedMdfe], bool]) -> Callable[[JudgedMdfe], Finding]:
    """Returns a rule about every listed MDF-e that is known; the answer has its key."""

    def is_broken(mdfe: JudgedMdfe) -> Finding:
        stored = filter(None, map(mdfe.referred, mdfe.mdfe_keys))
        return next((f"[chMDFe:{other.access_key}]" for other in stored if broken(other)), None)

    return is_broken


def manifest_off_the_road(listed: JudgedMdfe) -> bool:
    """MOC MDF-e, 658."""
    return listed.mode != ROAD


def manifest_of_a_carrier(listed: JudgedMdfe) -> bool:
    """MOC MDF-e, 659."""
    return listed.issuer_type != OWN_CARGO


def wrong_totals(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 667."""
    counted = (len(mdfe.cte_keys), len(mdfe.nfe_keys), len(mdfe.mdfe_keys))
    return any(
        mdfe.content.text(f"tot/{tag}") not in ((str(count),) if count else ("", "0"))
        for tag, count in zip(("qCTe", "qNFe", "qMDFe"), counted, strict=True)
    )


def _rules_of(keys: _Keys, tag: str, model: str, *codes: str) -> Iterator[RejectionRule[JudgedMdfe]]:
    """Yields the rules about keys: impossible, old, stored with another key, canceled.

    Keys that the simulator does not have are accepted: their documents may be of other companies.
    """

    def other(mdfe: JudgedMdfe) -> Finding:
        return first_finding(holder_with_another_key(mdfe, tag, key) for key in keys(mdfe))

    checks: tuple[Callable[[JudgedMdfe], Finding], ...] = (
        lambda mdfe: impossible_references(mdfe, keys(mdfe), model),
        lambda mdfe: old_reference(mdfe, tag, keys(mdfe)),
        other,
        lambda mdfe: canceled_reference(mdfe, tag, keys(mdfe)),
    )
    yield from (RejectionRule(code, check) for code, check in zip(codes, checks, strict=True))


LISTED_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("638", invoices_of_a_carrier),
    RejectionRule("639", waybills_of_own_cargo),
    RejectionRule("540", waybills_before_a_globalized_one),
    RejectionRule("616", city_without_documents),
    RejectionRule("668", _repeated("infCTe", "chCTe")),
    RejectionRule("669", _repeated("infNFe", "chNFe")),
    *_rules_of(lambda mdfe: mdfe.cte_keys, "chCTe", CTE, "601", "518", "672", "673"),
    *_rules_of(lambda mdfe: mdfe.nfe_keys, "chNFe", NFE, "604", "519", "676", "677"),
    RejectionRule("702", partial_delivery_off_the_air),
    RejectionRule("647", manifests_off_the_water, lists_manifests),
    RejectionRule("648", manifests_off_the_rivers, lists_manifests),
    *_rules_of(lambda mdfe: mdfe.mdfe_keys, "chMDFe", MDFE, "649", "520", "656", "657"),
    RejectionRule("658", _any_listed(manifest_off_the_road), lists_manifests),
    RejectionRule("659", _any_listed(manifest_of_a_carrier), lists_manifests),
    RejectionRule("667", wrong_totals),
)
