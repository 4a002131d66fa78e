"""Rules about certificates: of the connection, and of the signature of declarations and events."""

from collections.abc import Callable

from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.nfse.call import ResourceCall
from carimbo.simulator.rules import RejectionRule, SignedMessage, certificate_rules, flaws_of, flaws_of_signer
from carimbo.simulator.trust import CertificateFlaw

_DS = "http://www.w3.org/2000/09/xmldsig#"
_C14N = frozenset(
    {
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
        "http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
        "http://www.w3.org/2001/10/xml-exc-c14n#",
        "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
    }
)
# The manual says SHA-1; the Sefin accepts SHA-256 too. Other transforms could change what is signed.
_ALGORITHMS = {
    "CanonicalizationMethod": _C14N,
    "SignatureMethod": frozenset({f"{_DS}rsa-sha1", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"}),
    "Transform": _C14N | {f"{_DS}enveloped-signature"},
    "DigestMethod": frozenset({f"{_DS}sha1", "http://www.w3.org/2001/04/xmlenc#sha256"}),
}
_OF_ANOTHER_STANDARD = frozenset(
    {CertificateFlaw.INVALID, CertificateFlaw.WITHOUT_TAX_ID, CertificateFlaw.NOT_ICP_BRASIL}
)
_CODES = {
    CertificateFlaw.INVALID: "E1200",
    CertificateFlaw.OUT_OF_DATE: "E1203",
    CertificateFlaw.BROKEN_CHAIN: "E1205",
    CertificateFlaw.NO_REVOCATION_LIST: "E1206",
    CertificateFlaw.REVOKED: "E1207",
    CertificateFlaw.NOT_ICP_BRASIL: "E1208",
    CertificateFlaw.WITHOUT_TAX_ID: "E1209",
}
SENDER_RULES: tuple[RejectionRule[ResourceCall], ...] = certificate_rules(
    _CODES, lambda call: flaws_of(call.sender, call.context)
)


def unsigned(message: SignedMessage) -> bool:
    """There is no signature."""
    return message.signature is None


def not_what_was_signed(message: SignedMessage) -> bool:
    """The digest or the signature does not match, or an algorithm is not accepted."""
    signature = message.signature
    if signature is None:
        return False
    is_accepted = all(algorithm in _ALGORITHMS.get(step, ()) for step, algorithm in signature.algorithms)
    return not (is_accepted and signature.references_signed_element and signature.verifies)


def of_another_standard(message: SignedMessage) -> bool:
    """The certificate belongs to no holder, has no tax id, or is not of ICP-Brasil."""
    return bool(flaws_of_signer(message) & _OF_ANOTHER_STANDARD)


def not_valid(message: SignedMessage) -> bool:
    """The certificate is out of date, revoked, or of an unknown chain."""
    return bool(flaws_of_signer(message) - _OF_ANOTHER_STANDARD)


def signed_by_another(message: SignedMessage) -> bool:
    """The signer is another company; branches may sign for each other. Other rules need a tax id."""
    credential = message.signature.credential if message.signature else None
    if credential is None or not message.author:
        return False
    return tax_id_base(credential.owner) != tax_id_base(message.author)


_CHECKS: tuple[Callable[[SignedMessage], bool], ...] = (
    unsigned,
    not_what_was_signed,
    of_another_standard,
    not_valid,
    signed_by_another,
)


def signature_rules(*codes: str) -> tuple[RejectionRule[SignedMessage], ...]:
    """Returns the five rules of signatures with these codes."""
    return tuple(RejectionRule(code, check) for code, check in zip(codes, _CHECKS, strict=True))


NOTE_SIGNATURE_RULES = signature_rules("E0717", "E0714", "E0716", "E0715", "E0718")
EVENT_SIGNATURE_RULES = signature_rules("E1989", "E1980", "E1986", "E1983", "E1991")
