"""Rules about the documents that a substitution replaces or a complement completes."""

from collections.abc import Iterator
from datetime import timedelta

from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.taxes.trade import day_of_key
from carimbo.fiscal.transport.keys import age_in_months, owner_of, repeated_keys, valid_keys
from carimbo.fiscal.transport.rules.rule import SUBSTITUTION, TransportCheck, TransportInput, manual

RULES: RuleBook[TransportCheck] = RuleBook(
    when=lambda document: bool(document.request.substitution or document.request.complemented_access_keys)
)

# The law counts 60 days from the authorization, which is up to 168 hours after the issue; keys have only the
# month of the issue.
_MAX_AGE_OF_REPLACED = timedelta(days=60 + 7)
_MAX_MONTHS_OF_COMPLEMENTED = 12
_MAX_MONTHS_OF_LONG_VOYAGES = 24
_LONG_VOYAGES = frozenset({"03", "04", "06"})
"""Water, rail and multimodal (`modal`)."""
REPLACED, COMPLEMENTED = manual("CT-e substituído"), manual("CT-e complementado")

Keys = list[tuple[str, str]]


def replaced_keys(document: TransportInput) -> Keys:
    """Returns the key of the replaced document with its path; another rule refuses it in other documents."""
    replaced = document.request.substitution if document.purpose == SUBSTITUTION else None
    return [("substitution.accessKey", replaced.access_key)] if replaced else []


@RULES.rule("510", REPLACED, "O CT-e substituído é de outro emitente.")
def replaced_waybill_of_the_issuer(document: TransportInput) -> Iterator[At]:
    """Refuses to replace a CT-e of another issuer."""
    return _of_other_issuers(replaced_keys(document), document)


@RULES.rule("563", REPLACED, "O CT-e substituído foi autorizado há mais de 60 dias.")
def replaced_waybill_is_recent(document: TransportInput) -> Iterator[At]:
    """Refuses to replace a CT-e whose month ended so long ago that the term is certainly over."""
    for path, key in valid_keys(replaced_keys(document), document.model, document.today):
        issued_by = day_of_key(key)
        if issued_by and document.today - issued_by > _MAX_AGE_OF_REPLACED:
            yield At(path)


def complemented_keys(document: TransportInput) -> Keys:
    """Returns the keys of the complemented documents with their paths; only a complement has some."""
    keys = document.request.complemented_access_keys if document.is_complement else ()
    return [(f"complementedAccessKeys[{position}]", key) for position, key in enumerate(keys)]


@RULES.rule("907", COMPLEMENTED, "O mesmo CT-e está mais de uma vez entre os complementados.")
def repeated_complemented_key(document: TransportInput) -> Iterator[At]:
    """Refuses a complemented CT-e that is listed twice."""
    return repeated_keys(complemented_keys(document))


@RULES.rule("269", COMPLEMENTED, "O CT-e complementado é de outro emitente.")
def complemented_waybill_of_the_issuer(document: TransportInput) -> Iterator[At]:
    """Refuses to complement a CT-e of another issuer."""
    return _of_other_issuers(complemented_keys(document), document)


@RULES.rule("933", COMPLEMENTED, "O CT-e complementado tem mais de {} meses.")
def complemented_waybill_is_recent(document: TransportInput) -> Iterator[At]:
    """Refuses to complement a CT-e that is too old; keys have only the month of the issue."""
    is_long = document.identification.mode in _LONG_VOYAGES
    months = _MAX_MONTHS_OF_LONG_VOYAGES if is_long else _MAX_MONTHS_OF_COMPLEMENTED
    for path, key in valid_keys(complemented_keys(document), document.model, document.today):
        if age_in_months(key, document.today) > months:
            yield At(path, values=(str(months),))


def _of_other_issuers(keys: Keys, document: TransportInput) -> Iterator[At]:
    for path, key in valid_keys(keys, document.model, document.today):
        if owner_of(key) != document.issuer.cnpj:
            yield At(path)
