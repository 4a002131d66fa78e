"""XML signatures of programs that choose their own algorithms, as XMLDSig allows it; NFS-e have them.

The Sefin Nacional signs with RSA-SHA256 and exclusive C14N, issuers as they like, and cities with systems of
their own too.
"""

import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from lxml import etree

from carimbo.fiscal.identity.signature import (
    NAMESPACE,
    BadSignature,
    canonical,
    decoded,
    public_key_of,
    reference_id_of,
    signed_and_signature,
)

_C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
# Whether each is the exclusive form. `canonical` refuses comments, and without `xml:` attributes C14N 1.1 is
# C14N 1.0.
_CANONICAL_FORMS = {
    _C14N: False,
    f"{_C14N}#WithComments": False,
    "http://www.w3.org/2006/12/xml-c14n11": False,
    "http://www.w3.org/2006/12/xml-c14n11#WithComments": False,
    _EXCLUSIVE: True,
    f"{_EXCLUSIVE}WithComments": True,
}
_CERTIFICATE = "KeyInfo/X509Data/X509Certificate"
_ENVELOPED = f"{NAMESPACE}enveloped-signature"
_DIGESTS = {
    f"{NAMESPACE}sha1": "sha1",
    "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
    "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
}
_RSA: dict[str, hashes.HashAlgorithm] = {
    f"{NAMESPACE}rsa-sha1": hashes.SHA1(),  # noqa: S303 - the manual of NFS-e requires it
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": hashes.SHA256(),
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": hashes.SHA512(),
}


class UnknownMethod(ValueError):
    """A signature of an algorithm or a reference that can't be checked here."""


@dataclass(frozen=True, slots=True)
class _Method:
    """How a signature was made; the last is None for keys that are not RSA."""

    is_exclusive: bool
    """Whether the signed element is in exclusive C14N."""
    is_info_exclusive: bool
    """Whether `SignedInfo` is."""
    digest: str
    key_hash: hashes.HashAlgorithm | None


def verify_any(root: etree._Element) -> None:
    """Checks that the Signature in the last child of a document signs its first child, in any common form.

    Does not check the certificate. Raises `BadSignature`; raises `UnknownMethod` if nothing wrong was found,
    but not everything can be checked.
    """
    signed, signature = signed_and_signature(root)
    method = _method_of(signature, reference_id_of(signed))
    digest = decoded(_only(signature, "SignedInfo/Reference/DigestValue"))
    if all(
        hashlib.new(method.digest, form).digest() != digest for form in _forms(signed, method.is_exclusive)
    ):
        raise BadSignature("O conteúdo do documento não é o que foi assinado.")
    if method.key_hash is None:
        raise UnknownMethod
    value, certificates = _only(signature, "SignatureValue"), _all(signature, _CERTIFICATE)
    if not certificates:
        raise BadSignature("A assinatura não tem o certificado.")
    # Those of issuing authorities may follow that of the signer.
    key = public_key_of(decoded(certificates[0]))
    for form in _forms(_only(signature, "SignedInfo"), method.is_info_exclusive):
        try:
            key.verify(decoded(value), form, PKCS1v15(), method.key_hash)
        except InvalidSignature:
            continue
        return
    raise BadSignature("A assinatura não é da chave do certificado.")


def _forms(element: etree._Element, is_exclusive: bool) -> list[bytes]:
    """Returns the canonical forms of an element that may have been signed.

    A document that was signed before another was written around it does not have the namespaces of the
    outer one in its canonical form; the exclusive form does not have them either.
    """
    exclusive = canonical(element, is_exclusive=True)
    return [exclusive] if is_exclusive else [canonical(element), exclusive]


def _method_of(signature: etree._Element, reference_id: str) -> _Method:
    """Returns how a signature was made; raises `UnknownMethod`."""
    if _only(signature, "SignedInfo/Reference").get("URI") != f"#{reference_id}":
        raise UnknownMethod
    steps = [_algorithm(step) for step in _all(signature, "SignedInfo/Reference/Transforms/Transform")]
    # Without a step of its own, the form is C14N 1.0.
    form, *others = [step for step in steps if step != _ENVELOPED] or [_C14N]
    info_form = _algorithm(_only(signature, "SignedInfo/CanonicalizationMethod"))
    digest = _algorithm(_only(signature, "SignedInfo/Reference/DigestMethod"))
    if others or not {form, info_form} <= _CANONICAL_FORMS.keys() or digest not in _DIGESTS:
        raise UnknownMethod
    key_hash = _RSA.get(_algorithm(_only(signature, "SignedInfo/SignatureMethod")))
    return _Method(_CANONICAL_FORMS[form], _CANONICAL_FORMS[info_form], _DIGESTS[digest], key_hash)


def _algorithm(step: etree._Element) -> str:
    """Returns the algorithm of a step; raises `UnknownMethod` for one with parameters."""
    if len(step):
        raise UnknownMethod
    return step.get("Algorithm", "")


def _all(signature: etree._Element, path: str) -> list[etree._Element]:
    return signature.findall("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))


def _only(signature: etree._Element, path: str) -> etree._Element:
    """Returns the only element at a path; raises `BadSignature`."""
    nodes = _all(signature, path)
    if len(nodes) != 1:
        raise BadSignature(f"A assinatura deve ter {path} uma vez.")
    return nodes[0]
