"""Rules about the signature of documents, events and voided ranges."""

from carimbo.simulator.certificate_rules import certificate_rules, flaws_of_signer
from carimbo.simulator.rule import Rule
from carimbo.simulator.signed import Signed
from carimbo.simulator.tax_ids import base, is_person
from carimbo.simulator.trust import Flaw

_CODES = {flaw: str(290 + flaw) for flaw in Flaw}
"""MOC 7.0, E01 to E07."""


def not_by_the_book(signed: Signed) -> bool:
    """MOC 7.0, F01: other algorithms, another reference, or nothing signed at all."""
    return signed.signature is None or not signed.signature.is_by_the_book


def not_what_was_signed(signed: Signed) -> bool:
    """MOC 7.0, F02: of a signature that is not by the book nothing is calculated."""
    signature = signed.signature
    return signature is not None and signature.is_by_the_book and not signature.is_good


def signed_by_another_company(signed: Signed) -> bool:
    """MOC 7.0, F03 (NT 2018.001): a certificate with CNPJ, and the author has another base."""
    owner = _owner(signed)
    return bool(owner) and not is_person(owner) and base(owner) != base(signed.author)


def signed_by_another_person(signed: Signed) -> bool:
    """MOC 7.0, F03A (NT 2018.001): a certificate with CPF, and the author has another or a CNPJ."""
    owner = _owner(signed)
    return is_person(owner) and owner != signed.author


def _owner(signed: Signed) -> str:
    """Returns the owner of the certificate; empty if it has none, which is another rule's matter (292)."""
    credential = signed.signature and signed.signature.credential
    return credential.owner if credential else ""


SIGNATURE_RULES: tuple[Rule[Signed], ...] = (
    *certificate_rules(_CODES, flaws_of_signer),
    Rule("298", not_by_the_book),
    Rule("297", not_what_was_signed),
    Rule("213", signed_by_another_company),
    Rule("227", signed_by_another_person),
)
