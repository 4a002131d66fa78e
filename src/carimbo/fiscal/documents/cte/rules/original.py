"""Rules that compare a complement or substitution with the CT-e that it corrects, if the company has it."""

from collections.abc import Callable
from typing import NamedTuple

from carimbo.fiscal import rules
from carimbo.fiscal.documents.cte.request import CteRequest, TakerRole
from carimbo.fiscal.identity.tax_ids import cnpj_base
from carimbo.fiscal.rules import At, Judgement, RuleBook, judge
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.places import place_of
from carimbo.fiscal.transport.request import ServicePurpose
from carimbo.fiscal.transport.rules.rule import manual


class Amendment(NamedTuple):
    """The request for a complement or substitution, and that of the corrected CT-e.

    Fields that the request leaves out are repeated from the corrected CT-e, so only given ones can differ.
    """

    request: CteRequest
    original: CteRequest
    position: int = 0
    """The place of the original among the complemented CT-e."""

    @property
    def gives_taker(self) -> bool:
        """Whether the request names the taker."""
        return not {"taker", "taker_party"}.isdisjoint(self.request.model_fields_set)

    @property
    def changes_taker(self) -> bool:
        """Whether the substitution is meant to change the taker."""
        return self.request.substitution is not None and self.request.substitution.changes_taker


AmendmentCheck = rules.DocumentCheck[Amendment]
REPLACED_RULES: RuleBook[AmendmentCheck] = RuleBook()
COMPLEMENTED_RULES: RuleBook[AmendmentCheck] = RuleBook()
COMPLEMENTED_MODE = "COMPLEMENTED_MODE"
_REPLACED, _COMPLEMENTED = manual("CT-e substituído"), manual("CT-e complementado")


def judge_amendment(amendment: Amendment) -> Judgement:
    """Checks a request against the CT-e that it corrects."""
    is_complement = amendment.request.purpose is ServicePurpose.COMPLEMENT
    return judge((COMPLEMENTED_RULES if is_complement else REPLACED_RULES,), amendment, hint_of)


def _taker(amendment: Amendment) -> PartyBody | None:
    """Returns the taker that the request names; a party that it leaves out is that of the original."""
    role = amendment.request.taker
    return amendment.request.party_in(role) or amendment.original.party_in(role)


def _original_taker(amendment: Amendment) -> PartyBody | None:
    return amendment.original.party_in(amendment.original.taker)


def _same(codes: tuple[str, str], named: str, path: str, differs: Callable[[Amendment], bool]) -> None:
    """Adds a rule for substitutions and one for complements: both repeat a value of the original."""

    def check(amendment: Amendment) -> At | None:
        return At(path) if differs(amendment) else None

    replaced, complemented = codes
    REPLACED_RULES.rule(replaced, _REPLACED, f"{named} não é o do CT-e substituído.")(check)
    COMPLEMENTED_RULES.rule(complemented, _COMPLEMENTED, f"{named} não é o do CT-e complementado.")(check)


def _other_party(role: TakerRole) -> Callable[[Amendment], bool]:
    def differs(amendment: Amendment) -> bool:
        given, original = amendment.request.party_in(role), amendment.original.party_in(role)
        return given is not None and given.tax_id != (original.tax_id if original else None)

    return differs


def _other_state(code_of: Callable[[CteRequest], str | None]) -> Callable[[Amendment], bool]:
    def differs(amendment: Amendment) -> bool:
        given, original = code_of(amendment.request), code_of(amendment.original)
        return (
            given is not None and original is not None and place_of(given).state != place_of(original).state
        )

    return differs


def _other_service(amendment: Amendment) -> bool:
    is_given = "service_type" in amendment.request.model_fields_set
    return is_given and amendment.request.service_type is not amendment.original.service_type


_same(("511", "800"), "O remetente", "shipper.taxId", _other_party(TakerRole.SHIPPER))
_same(("512", "801"), "O destinatário", "recipient.taxId", _other_party(TakerRole.RECIPIENT))
_same(("550", "802"), "O expedidor", "dispatcher.taxId", _other_party(TakerRole.DISPATCHER))
_same(("551", "803"), "O recebedor", "receiver.taxId", _other_party(TakerRole.RECEIVER))
_same(
    ("559", "811"),
    "O estado de início da prestação",
    "municipalityStartIbge",
    _other_state(lambda request: request.municipality_start_ibge),
)
_same(
    ("560", "812"),
    "O estado de término da prestação",
    "municipalityEndIbge",
    _other_state(lambda request: request.municipality_end_ibge),
)
_same(("834", "835"), "O tipo do serviço", "serviceType", _other_service)


def _is_another_taker(amendment: Amendment) -> bool:
    taker, original = _taker(amendment), _original_taker(amendment)
    return (taker.tax_id if taker else None) != (original.tax_id if original else None)


@COMPLEMENTED_RULES.rule("804", _COMPLEMENTED, "O tomador não é o do CT-e complementado.")
def other_taker_of_a_complement(amendment: Amendment) -> At | None:
    """Refuses a complement for another taker."""
    return At("taker") if amendment.gives_taker and _is_another_taker(amendment) else None


@REPLACED_RULES.rule("552", _REPLACED, "O tomador não é o do CT-e substituído.")
def other_taker_of_a_substitution(amendment: Amendment) -> At | None:
    """Refuses a substitution that changes the taker without saying so."""
    is_changed = amendment.gives_taker and _is_another_taker(amendment)
    return At("taker") if is_changed and not amendment.changes_taker else None


@REPLACED_RULES.rule("738", _REPLACED, "O tomador tem no CT-e substituído outro papel.")
def other_role_of_the_taker(amendment: Amendment) -> At | None:
    """Refuses the same taker in another role."""
    if amendment.changes_taker or not amendment.gives_taker or _is_another_taker(amendment):
        return None
    return At("taker") if amendment.request.taker is not amendment.original.taker else None


@REPLACED_RULES.rule("742", _REPLACED, "A substituição indica a troca do tomador, e ele é o mesmo.")
def unchanged_taker(amendment: Amendment) -> At | None:
    """Refuses a change of taker that changes nothing."""
    is_same = amendment.changes_taker and not _is_another_taker(amendment)
    return At("substitution.changesTaker") if is_same else None


@REPLACED_RULES.rule("740", _REPLACED, "O novo tomador não participa do CT-e substituído.")
def new_taker_is_a_party(amendment: Amendment) -> At | None:
    """Refuses a new taker of a company that is no party of the original."""
    taker = _taker(amendment)
    if not amendment.changes_taker or taker is None or not _is_another_taker(amendment):
        return None
    parties = [party for party in map(amendment.original.party_in, TakerRole) if party]
    bases = {cnpj_base(party.tax_id) for party in parties if party.tax_id}
    return None if taker.tax_id and cnpj_base(taker.tax_id) in bases else At("taker")


@REPLACED_RULES.rule("741", _REPLACED, "O novo tomador é de outra UF que o do CT-e substituído.")
def new_taker_in_another_state(amendment: Amendment) -> At | None:
    """Refuses a new taker in another state than the original one's."""
    taker, original = _taker(amendment), _original_taker(amendment)
    if not amendment.changes_taker or taker is None or original is None:
        return None
    return At("taker") if taker.state != original.state else None


@REPLACED_RULES.rule("734", _REPLACED, "As NF-e não são as do CT-e substituído.")
def other_invoices(amendment: Amendment) -> At | None:
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


@REPLACED_RULES.rule("571", _REPLACED, "O CT-e substituído é um complemento.")
def replaced_complement(amendment: Amendment) -> At | None:
    """Refuses to replace a complement."""
    is_complement = amendment.original.purpose is ServicePurpose.COMPLEMENT
    return At("substitution.accessKey") if is_complement else None


@COMPLEMENTED_RULES.rule(
    COMPLEMENTED_MODE,
    _COMPLEMENTED,
    "O modal não é o do CT-e complementado.",
    hint="Retire modal, para que seja repetido, ou corrija modal.kind.",
)
def other_mode_of_a_complement(amendment: Amendment) -> At | None:
    """Refuses a complement with another mode."""
    is_given = "modal" in amendment.request.model_fields_set
    is_other = amendment.request.modal.kind is not amendment.original.modal.kind
    return At("modal.kind") if is_given and is_other else None


@COMPLEMENTED_RULES.rule("491", _COMPLEMENTED, "O CT-e complementado é outro complemento.")
def complemented_complement(amendment: Amendment) -> At | None:
    """Refuses to complement a complement."""
    is_complement = amendment.original.purpose is ServicePurpose.COMPLEMENT
    return At(f"complementedAccessKeys[{amendment.position}]") if is_complement else None
