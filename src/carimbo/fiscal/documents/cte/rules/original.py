"""Rules that compare a complement or substitution with the CT-e that it corrects, if the company has it."""

from collections.abc import Callable

from carimbo.fiscal.documents.cte.request import CteRequest, TakerRole
from carimbo.fiscal.identity.tax_ids import cnpj_base
from carimbo.fiscal.rules import At
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED, REPLACED
from carimbo.fiscal.transport.rules.original import Amendment, OriginalRules

WaybillAmendment = Amendment[CteRequest]
RULES: OriginalRules[CteRequest] = OriginalRules()


def _gives_taker(amendment: WaybillAmendment) -> bool:
    """Returns whether the request names the taker."""
    return not {"taker", "taker_party"}.isdisjoint(amendment.request.model_fields_set)


def _changes_taker(amendment: WaybillAmendment) -> bool:
    """Returns whether the substitution is meant to change the taker."""
    substitution = amendment.request.substitution
    return substitution is not None and substitution.changes_taker


def _taker(amendment: WaybillAmendment) -> PartyBody | None:
    """Returns the taker that the request names; a party that it leaves out is that of the original."""
    role = amendment.request.taker
    return amendment.request.party_in(role) or amendment.original.party_in(role)


def _original_taker(amendment: WaybillAmendment) -> PartyBody | None:
    return amendment.original.party_in(amendment.original.taker)


def _other_party(role: TakerRole) -> Callable[[WaybillAmendment], bool]:
    def differs(amendment: WaybillAmendment) -> bool:
        given, original = amendment.request.party_in(role), amendment.original.party_in(role)
        return given is not None and given.tax_id != (original.tax_id if original else None)

    return differs


RULES.same(("511", "800"), "O remetente", "shipper.taxId", _other_party(TakerRole.SHIPPER))
RULES.same(("512", "801"), "O destinatário", "recipient.taxId", _other_party(TakerRole.RECIPIENT))
RULES.same(("550", "802"), "O expedidor", "dispatcher.taxId", _other_party(TakerRole.DISPATCHER))
RULES.same(("551", "803"), "O recebedor", "receiver.taxId", _other_party(TakerRole.RECEIVER))


def _is_another_taker(amendment: WaybillAmendment) -> bool:
    taker, original = _taker(amendment), _original_taker(amendment)
    return (taker.tax_id if taker else None) != (original.tax_id if original else None)


@RULES.complemented.rule("804", COMPLEMENTED, "O tomador não é o do CT-e complementado.")
def other_taker_of_a_complement(amendment: WaybillAmendment) -> At | None:
    """Refuses a complement for another taker."""
    return At("taker") if _gives_taker(amendment) and _is_another_taker(amendment) else None


@RULES.replaced.rule("552", REPLACED, "O tomador não é o do CT-e substituído.")
def other_taker_of_a_substitution(amendment: WaybillAmendment) -> At | None:
    """Refuses a substitution that changes the taker without saying so."""
    is_changed = _gives_taker(amendment) and _is_another_taker(amendment)
    return At("taker") if is_changed and not _changes_taker(amendment) else None


@RULES.replaced.rule("738", REPLACED, "O tomador tem no CT-e substituído outro papel.")
def other_role_of_the_taker(amendment: WaybillAmendment) -> At | None:
    """Refuses the same taker in another role."""
    if _changes_taker(amendment) or not _gives_taker(amendment) or _is_another_taker(amendment):
        return None
    return At("taker") if amendment.request.taker is not amendment.original.taker else None


@RULES.replaced.rule("742", REPLACED, "A substituição indica a troca do tomador, e ele é o mesmo.")
def unchanged_taker(amendment: WaybillAmendment) -> At | None:
    """Refuses a change of taker that changes nothing."""
    is_same = _changes_taker(amendment) and not _is_another_taker(amendment)
    return At("substitution.changesTaker") if is_same else None


@RULES.replaced.rule("740", REPLACED, "O novo tomador não participa do CT-e substituído.")
def new_taker_is_a_party(amendment: WaybillAmendment) -> At | None:
    """Refuses a new taker of a company that is no party of the original."""
    taker = _taker(amendment)
    if not _changes_taker(amendment) or taker is None or not _is_another_taker(amendment):
        return None
    parties = [party for party in map(amendment.original.party_in, TakerRole) if party]
    bases = {cnpj_base(party.tax_id) for party in parties if party.tax_id}
    return None if taker.tax_id and cnpj_base(taker.tax_id) in bases else At("taker")


@RULES.replaced.rule("741", REPLACED, "O novo tomador é de outra UF que o do CT-e substituído.")
def new_taker_in_another_state(amendment: WaybillAmendment) -> At | None:
    """Refuses a new taker in another state than the original one's."""
    taker, original = _taker(amendment), _original_taker(amendment)
    if not _changes_taker(amendment) or taker is None or original is None:
        return None
    return At("taker") if taker.state != original.state else None


@RULES.replaced.rule("734", REPLACED, "As NF-e não são as do CT-e substituído.")
def other_invoices(amendment: WaybillAmendment) -> At | None:
    """Refuses a substitution with other NF-e."""
    given, original = amendment.request.documents, amendment.original.documents
    if given is None:
        return None
    keys = {nfe.access_key for nfe in given.nfes}
    return (
        None
        if keys == {nfe.access_key for nfe in (original.nfes if original else ())}
        else At("documents.nfes")
    )
