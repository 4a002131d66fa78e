"""The XML of the toys: written, signed, and checked before a number is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey, padded_tax_id
from carimbo.fiscal.identity.signature import Signature, Signer
from carimbo.fiscal.issuance import Issuance, Lines, Review
from carimbo.fiscal.layouts import canonical
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.xml_reading import root_alone
from toy.request import ToyRequest

NAMESPACE = "urn:carimbo:toy"
MAX_AMOUNT = 1_000_000
_MODEL = "99"

KeyOf = Callable[[Issuance], str]
"""Returns the key or Id under which a document is sent."""


class UnwritableField(ValueError):
    """A field that the XML can not contain."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.problem = Problem(SCHEMA_PROBLEM, path, f"O campo {reason}.")


@dataclass(frozen=True, slots=True)
class ToyPreview:
    """A preview of a document."""

    amount: Decimal
    xml: bytes
    lines: Lines = ()

    @property
    def totals(self) -> Mapping[str, Any]:
        """The only total is the amount."""
        return {"amount": self.amount}


def access_key(issuance: Issuance) -> str:
    """Returns the access key of a document that we number."""
    company, emission = issuance.company, issuance.emission
    return AccessKey.of_issue(
        emission.issued_at,
        state_code=STATES[company.address.state].ibge,
        tax_id=company.tax_id,
        model=_MODEL,
        series=emission.series,
        number=emission.number,
        emission_type=emission.type,
        numeric_code=emission.numeric_code,
    )


def request_id(issuance: Issuance) -> str:
    """Returns the Id of the request for a note, whose key and number its authority assigns."""
    emission = issuance.emission
    return f"DPS{padded_tax_id(issuance.company.tax_id)}{emission.series:05d}{emission.number:015d}"


def review(key_of: KeyOf, request: ToyRequest, issuance: Issuance) -> Review:
    """Returns every broken rule of a request, and its preview."""
    try:
        content = _content(key_of(issuance), request, issuance)
    except UnwritableField as unwritable:
        return Review((*_problems(request), unwritable.problem))
    return Review(_problems(request), (), ToyPreview(request.amount, in_root("toy", content)))


def issue(key_of: KeyOf, request: ToyRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Returns the signed document, or the problems of the request."""
    reviewed = review(key_of, request, issuance)
    if reviewed.problems:
        return reviewed.problems
    key = key_of(issuance)
    content = _content(key, request, issuance)
    signature = signed(content, f"Toy{key}", issuance.signer)
    return SignedDocument(in_root("toy", content, signature.text), key, signature.digest_value)


def element(path: str, tag: str, value: str) -> str:
    """Writes the text of a field of the request."""
    try:
        return f"<{tag}>{canonical.text(value)}</{tag}>"
    except canonical.Unwritable as unwritable:
        raise UnwritableField(path, str(unwritable)) from unwritable


def signed(content: str, reference_id: str, signer: Signer) -> Signature:
    """Signs the content of a root."""
    declared = content.replace("<infToy ", f'<infToy xmlns="{NAMESPACE}" ', 1)
    return signer.sign(declared.encode(), reference_id)


def in_root(tag: str, content: str, signature: bytes = b"") -> bytes:
    """Puts content and signature into a root."""
    return f'<{tag} xmlns="{NAMESPACE}">{content}'.encode() + signature + f"</{tag}>".encode()


def joined(sent: bytes, answer: bytes) -> bytes:
    """Joins the signed XML and the authority's receipt to the legal file."""
    return b"<toyProc>%b%b</toyProc>" % (root_alone(sent), root_alone(answer))


def _problems(request: ToyRequest) -> tuple[Problem, ...]:
    if request.amount <= MAX_AMOUNT:
        return ()
    return (Problem("999", "amount", f"O valor passa de {MAX_AMOUNT}.", "Divida o documento."),)


def _content(key: str, request: ToyRequest, issuance: Issuance) -> str:
    emission, recipient = issuance.emission, request.recipient
    try:
        moment = canonical.moment(emission.issued_at)
    except canonical.Unwritable as unwritable:
        raise UnwritableField("issueDate", str(unwritable)) from unwritable
    parts = (
        f'<infToy Id="Toy{key}">',
        f"<tpAmb>{emission.environment.code}</tpAmb>",
        f"<issuer>{issuance.company.tax_id}</issuer>",
        f"<series>{emission.series}</series><number>{emission.number}</number>",
        f"<dhEmi>{moment}</dhEmi>",
        f"<amount>{canonical.decimal(request.amount, 2)}</amount>",
        element("recipient.name", "recipient", recipient.name),
        element("notes", "notes", request.notes) if request.notes else "",
        "</infToy>",
    )
    return "".join(parts)
