"""Who signed, and whether it is what was signed: the same for declarations and events, with other codes."""

from collections.abc import Callable

from carimbo.simulator.certificate_rules import flaws_of_signer
from carimbo.simulator.rule import Rule
from carimbo.simulator.signature import Signature
from carimbo.simulator.signed import Signed
from carimbo.simulator.tax_ids import base
from carimbo.simulator.trust import Flaw

_DS = "http://www.w3.org/2000/09/xmldsig#"
_C14N = frozenset(
    {
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
        "http://www.w3.org/2001/10/xml-exc-c14n#",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
    }
)
# The manual has SHA-1; the Sefin takes SHA-256 too. Transforms that could do anything else are nobody's.
_ALGORITHMS = {
    "CanonicalizationMethod": _C14N,
    "SignatureMethod": frozenset({f"{_DS}rsa-sha1", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"}),
    "Transform": _C14N | {f"{_DS}enveloped-signature"},
    "DigestMethod": frozenset({f"{_DS}sha1", "http://www.w3.org/2001/04/xmlenc#sha256"}),
}
_OF_ANOTHER_STANDARD = frozenset({Flaw.INVALID, Flaw.WITHOUT_TAX_ID, Flaw.NOT_ICP_BRASIL})


def unsigned(case: Signed) -> bool:
    """No signature at all."""
    return case.signature is None


def not_what_was_signed(case: Signed) -> bool:
    """Digest or signature of something else, or made in a way that is not known."""
    signature = case.signature
    if signature is None:
        return False
    return not (_is_known(signature) and signature.names_what_is_signed and signature.is_good)


def _is_known(signature: Signature) -> bool:
    return all(algorithm in _ALGORITHMS.get(step, ()) for step, algorithm in signature.algorithms)


def of_another_standard(case: Signed) -> bool:
    """A certificate that is no holder's, tells no tax id, or is not of ICP-Brasil."""
    return bool(flaws_of_signer(case) & _OF_ANOTHER_STANDARD)


def not_valid(case: Signed) -> bool:
    """A certificate out of date, revoked, or of a chain that nobody knows."""
    return bool(flaws_of_signer(case) - _OF_ANOTHER_STANDARD)


def signed_by_another(case: Signed) -> bool:
    """Any place of a company may sign for every other; whoever tells no tax id is other rules' matter."""
    credential = case.signature.credential if case.signature else None
    if credential is None or not case.author:
        return False
    return base(credential.owner) != base(case.author)


_CHECKS: tuple[Callable[[Signed], bool], ...] = (
    unsigned,
    not_what_was_signed,
    of_another_standard,
    not_valid,
    signed_by_another,
)


def signature_rules(*codes: str) -> tuple[Rule[Signed], ...]:
    """The same five rules with codes of their own."""
    return tuple(Rule(code, check) for code, check in zip(codes, _CHECKS, strict=True))


NOTE_SIGNATURE_RULES = signature_rules("E0717", "E0714", "E0716", "E0715", "E0718")
EVENT_SIGNATURE_RULES = signature_rules("E1989", "E1980", "E1986", "E1983", "E1991")
