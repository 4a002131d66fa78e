"""Rules about tickets, transport guides and other CT-e OS that a CT-e OS refers to."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.documents.cteos.request import GtveComponentType, ReferencedTicketBody
from carimbo.fiscal.documents.cteos.rules.rule import OsCheck, OsInput
from carimbo.fiscal.money import total
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.keys import (
    TICKET,
    VALUABLES_GUIDE,
    PlacedKeys,
    invalid_keys,
    owner_of,
    repeated_keys,
    valid_keys,
)
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED, REPLACED, complemented_keys, replaced_keys
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE, manual

CORRECTED_RULES: RuleBook[OsCheck] = RuleBook()
# Another rule refuses these fields in a complement.
RULES: RuleBook[OsCheck] = RuleBook(when=lambda document: not document.is_complement)
GUIDE_RULES: RuleBook[OsCheck] = RuleBook(
    when=lambda document: document.carries_valuables and not document.is_complement
)

_TICKETS, _GUIDES, CANCELED = manual("bilhetes"), manual("GTV-e"), manual("CT-e OS cancelado")
_TOLERANCE = Decimal("0.10")
TICKET_REPEATED = "TICKET_REPEATED"


@CORRECTED_RULES.rule("858", REPLACED, "A chave do CT-e OS substituído é inválida.")
def valid_replaced_key(document: OsInput) -> Iterator[At]:
    """Refuses a key that no CT-e OS can have, with the reason."""
    return invalid_keys(replaced_keys(document), document.model, document.today)


@CORRECTED_RULES.rule("859", COMPLEMENTED, "A chave do CT-e OS complementado é inválida.")
def valid_complemented_key(document: OsInput) -> Iterator[At]:
    """Refuses keys that no CT-e OS can have, with the reason."""
    return invalid_keys(complemented_keys(document), document.model, document.today)


@RULES.rule(
    SCHEMA_CODE,
    _TICKETS,
    "O bilhete tem a chave do BP-e, ou número e data de emissão.",
    hint="Informe bpeAccessKey sozinho, ou number e issueDate sem ele.",
)
def half_of_a_ticket(document: OsInput) -> Iterator[At]:
    """Refuses tickets that are neither electronic nor on paper, and those that are both."""
    for position, ticket in enumerate(document.request.referenced_documents):
        path = f"referencedDocuments[{position}]"
        if ticket.bpe_access_key:
            if _is_on_paper(ticket):
                yield At(f"{path}.bpeAccessKey")
        elif ticket.number is None:
            yield At(f"{path}.number")
        elif ticket.issue_date is None:
            yield At(f"{path}.issueDate")


def _is_on_paper(ticket: ReferencedTicketBody) -> bool:
    """Returns whether a ticket has fields of tickets on paper."""
    on_paper = (ticket.number, ticket.series, ticket.subseries, ticket.issue_date, ticket.amount)
    return any(value is not None for value in on_paper)


def _ticket_keys(document: OsInput) -> PlacedKeys:
    """Yields the keys of the electronic tickets; another rule refuses those with fields of paper."""
    for position, ticket in enumerate(document.request.referenced_documents):
        if ticket.bpe_access_key and not _is_on_paper(ticket):
            yield f"referencedDocuments[{position}].bpeAccessKey", ticket.bpe_access_key


@RULES.rule("891", _TICKETS, "A chave do BP-e é inválida.")
def valid_ticket_key(document: OsInput) -> Iterator[At]:
    """Refuses keys that no BP-e can have, with the reason."""
    return invalid_keys(_ticket_keys(document), TICKET, document.today)


@RULES.rule(
    TICKET_REPEATED,
    _TICKETS,
    "O mesmo BP-e está mais de uma vez no CT-e OS.",
    hint="Retire o BP-e repetido, ou informe a chave certa.",
)
def repeated_ticket(document: OsInput) -> Iterator[At]:
    """Refuses a ticket that is listed twice."""
    return repeated_keys(_ticket_keys(document))


@RULES.rule("897", _TICKETS, "O BP-e é de outro emitente.")
def ticket_of_the_issuer(document: OsInput) -> Iterator[At]:
    """Refuses tickets of another issuer."""
    for path, key in valid_keys(_ticket_keys(document), TICKET, document.today):
        if owner_of(key) != document.issuer.cnpj:
            yield At(path)


def _canceled_key(document: OsInput) -> PlacedKeys:
    """Returns the key of the canceled document; 815 refuses any for passengers."""
    key = document.request.canceled_access_key
    return [("canceledAccessKey", key)] if key and not document.carries_passengers else []


@RULES.rule("815", CANCELED, "O transporte de pessoas não referencia um CT-e OS cancelado.")
def canceled_document_of_passengers(document: OsInput) -> At | None:
    """Refuses passengers with a reference to a canceled document."""
    is_given = document.request.canceled_access_key is not None
    return At("canceledAccessKey") if is_given and document.carries_passengers else None


@RULES.rule("856", CANCELED, "A chave do CT-e OS cancelado é inválida.")
def valid_canceled_key(document: OsInput) -> Iterator[At]:
    """Refuses a key that no CT-e OS can have, with the reason."""
    return invalid_keys(_canceled_key(document), document.model, document.today)


@RULES.rule("827", CANCELED, "O CT-e OS cancelado é de outro emitente.")
def canceled_document_of_the_issuer(document: OsInput) -> Iterator[At]:
    """Refuses a canceled document of another issuer."""
    for path, key in valid_keys(_canceled_key(document), document.model, document.today):
        if owner_of(key) != document.issuer.cnpj:
            yield At(path)


@RULES.rule("881", _GUIDES, "Só o transporte de valores referencia GTV-e.")
def guides_of_another_service(document: OsInput) -> At | None:
    """Refuses transport guides in other services."""
    return At("gtves") if document.request.gtves and not document.carries_valuables else None


def _guide_keys(document: OsInput) -> list[tuple[str, str]]:
    return [
        (f"gtves[{position}].accessKey", guide.access_key)
        for position, guide in enumerate(document.request.gtves)
    ]


@GUIDE_RULES.rule("882", _GUIDES, "A chave da GTV-e é inválida.")
def valid_guide_key(document: OsInput) -> Iterator[At]:
    """Refuses keys that no GTV-e can have, with the reason."""
    return invalid_keys(_guide_keys(document), VALUABLES_GUIDE, document.today)


@GUIDE_RULES.rule("886", _GUIDES, "A GTV-e é de outro emitente.")
def guide_of_the_issuer(document: OsInput) -> Iterator[At]:
    """Refuses transport guides of another issuer."""
    for path, key in valid_keys(_guide_keys(document), VALUABLES_GUIDE, document.today):
        if owner_of(key) != document.issuer.cnpj:
            yield At(path)


@GUIDE_RULES.rule("887", _GUIDES, "A mesma GTV-e está mais de uma vez no CT-e OS.")
def repeated_guide(document: OsInput) -> Iterator[At]:
    """Refuses a transport guide that is listed twice."""
    return repeated_keys(_guide_keys(document))


@GUIDE_RULES.rule("898", _GUIDES, "O componente do tipo other tem descrição.")
def description_of_another_component(document: OsInput) -> Iterator[At]:
    """Refuses a component of no listed kind without a description."""
    for position, guide in enumerate(document.request.gtves):
        for place, component in enumerate(guide.components):
            if component.type is GtveComponentType.OTHER and component.description is None:
                yield At(f"gtves[{position}].components[{place}].description")


@GUIDE_RULES.rule("899", _GUIDES, "Os componentes das GTV-e não somam o valor da prestação.")
def sum_of_the_guides(document: OsInput) -> At | None:
    """Refuses components that differ by more than ten cents from the price."""
    guides, price = document.request.gtves, document.waybill.price.amount
    parts = total(component.amount for guide in guides for component in guide.components)
    if not guides or abs(parts - price) <= _TOLERANCE:
        return None
    return At("gtves", f"A soma é {parts}, e serviceAmount é {price}.")
