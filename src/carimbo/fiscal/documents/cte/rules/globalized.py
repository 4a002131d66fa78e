"""Rules about the globalized CT-e: one document for many senders or recipients within a state.

The manual lets every authority choose whether it applies them. Those that follow from what a globalized CT-e
is refuse; the others warn.
"""

from collections.abc import Iterator

from carimbo.fiscal.documents.cte.request import TakerRole
from carimbo.fiscal.documents.cte.rules.rule import WaybillCheck, WaybillInput
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.keys import owner_of
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.rules.rule import manual


def _is_globalized(document: WaybillInput) -> bool:
    """Returns whether the document is globalized; a complement can't be, which another rule reports."""
    return document.request.globalized is not None and not document.is_complement


RULES: RuleBook[WaybillCheck] = RuleBook(when=_is_globalized)
OTHER_RULES: RuleBook[WaybillCheck] = RuleBook(when=lambda document: not _is_globalized(document))

_SOURCE = manual("CT-e globalizado")
_NAME_OF_MANY = "DIVERSOS"
_MIN_DOCUMENTS = 5


def _is_taken_by(document: WaybillInput, role: TakerRole) -> bool:
    return document.request.taker is role


@RULES.rule("743", _SOURCE, "O CT-e globalizado só vale dentro de uma UF.")
def within_a_state(document: WaybillInput) -> At | None:
    """Refuses a globalized CT-e between states."""
    return At("globalized") if document.leaves_the_state else None


@RULES.rule("722", _SOURCE, "O tomador do CT-e globalizado é o remetente ou o destinatário.")
def taken_by_sender_or_recipient(document: WaybillInput) -> At | None:
    """Refuses another taker of a globalized CT-e."""
    is_end = document.request.taker in (TakerRole.SHIPPER, TakerRole.RECIPIENT)
    return None if is_end else At("taker")


@RULES.rule("723", _SOURCE, "O CT-e globalizado só leva NF-e.")
def only_nfes(document: WaybillInput) -> At | None:
    """Refuses other documents of the cargo."""
    documents = document.request.documents
    has_others = documents is not None and bool(documents.others or documents.dces or documents.papers)
    return At("documents.nfes") if has_others else None


def _owners(document: WaybillInput) -> list[tuple[str, str]]:
    """Returns the issuers of the NF-e, with the paths of the keys."""
    return [(path, owner_of(key)) for path, key in document.valid_nfe_keys]


@RULES.rule(
    "724",
    _SOURCE,
    "O CT-e globalizado de vários remetentes tem NF-e de pelo menos cinco.",
    severity=Severity.WARNS,
)
def many_senders(document: WaybillInput) -> At | None:
    """Warns of too few senders, if the recipient takes the service."""
    issuers = {owner for _, owner in _owners(document)}
    is_of_senders = _is_taken_by(document, TakerRole.RECIPIENT)
    return At("documents.nfes") if is_of_senders and 0 < len(issuers) < _MIN_DOCUMENTS else None


@RULES.rule(
    "737",
    _SOURCE,
    "O CT-e globalizado de um remetente tem pelo menos cinco NF-e.",
    severity=Severity.WARNS,
)
def many_documents(document: WaybillInput) -> At | None:
    """Warns of too few NF-e, if the sender takes the service."""
    is_of_sender = _is_taken_by(document, TakerRole.SHIPPER)
    return At("documents.nfes") if is_of_sender and 0 < len(document.nfe_keys) < _MIN_DOCUMENTS else None


@RULES.rule(
    "744",
    _SOURCE,
    "A NF-e não é do remetente, que é o tomador do CT-e globalizado.",
    severity=Severity.WARNS,
)
def documents_of_the_sender(document: WaybillInput) -> Iterator[At]:
    """Warns of NF-e of others, if the sender takes the service."""
    sender = document.request.shipper
    if sender is None or not _is_taken_by(document, TakerRole.SHIPPER):
        return
    yield from (At(path) for path, owner in _owners(document) if owner != sender.tax_id)


def _dummy_rules(name_code: str, tax_id_code: str, named: str, path: str, taken_by: TakerRole) -> None:
    """Adds the rules about the party that replaces many others: its fixed name, and the issuer's CNPJ."""

    def party_of(document: WaybillInput) -> PartyBody | None:
        parties = {"shipper": document.request.shipper, "recipient": document.request.recipient}
        return parties[path] if _is_taken_by(document, taken_by) else None

    @RULES.rule(
        name_code,
        _SOURCE,
        f"O CT-e globalizado de vários {named}s tem DIVERSOS no lugar do nome do {named}.",
        severity=Severity.WARNS,
    )
    def name_of_many(document: WaybillInput) -> At | None:
        party = party_of(document)
        return At(f"{path}.name") if party and not _has_name_of_many(party) else None

    @RULES.rule(
        tax_id_code,
        _SOURCE,
        f"O CT-e globalizado de vários {named}s tem o CNPJ da própria empresa no lugar do CNPJ do {named}.",
        severity=Severity.WARNS,
    )
    def tax_id_of_many(document: WaybillInput) -> At | None:
        party = party_of(document)
        return At(f"{path}.taxId") if party and party.tax_id != document.issuer.cnpj else None


_dummy_rules("725", "727", "remetente", "shipper", TakerRole.RECIPIENT)
_dummy_rules("726", "728", "destinatário", "recipient", TakerRole.SHIPPER)


@OTHER_RULES.rule(
    "730",
    _SOURCE,
    "Só o CT-e globalizado tem DIVERSOS no lugar do nome de quem envia ou recebe a carga.",
    severity=Severity.WARNS,
)
def name_of_many_elsewhere(document: WaybillInput) -> Iterator[At]:
    """Warns of the name for many in a CT-e that is not globalized."""
    request = document.request
    for path, party in (("shipper", request.shipper), ("recipient", request.recipient)):
        if party is not None and _has_name_of_many(party):
            yield At(f"{path}.name")


def _has_name_of_many(party: PartyBody) -> bool:
    # The document has a fixed name in homologation, so this reads the request.
    return party.name.strip().upper() == _NAME_OF_MANY
