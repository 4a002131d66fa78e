"""XML signatures, checked by libxmlsec: another implementation than the one that makes ours."""

from base64 import b64decode
from dataclasses import dataclass
from functools import cached_property, lru_cache

import xmlsec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from lxml import etree

from carimbo.simulator.trust import Credential, credential_of

_DS = "{http://www.w3.org/2000/09/xmldsig#}"
_C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
_RSA_SHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
_SHA1 = "http://www.w3.org/2000/09/xmldsig#sha1"


@dataclass(frozen=True)
class Signature:
    """The signature of a message, as it stands there."""

    element: etree._Element
    signed: etree._Element
    """The element with the Id: `infNFe`, `infEvento`, `infInut`, `infDPS`, `infPedReg`."""

    @cached_property
    def credential(self) -> Credential | None:
        """The certificate of who signed; None if it cannot be read."""
        text = "".join(self._text(f"{_DS}X509Certificate").split())
        try:
            return credential_of(b64decode(text, validate=True))
        except ValueError:
            return None

    @property
    def digest(self) -> str:
        """What it says that the digest of the signed element is."""
        return self._text(f"{_DS}DigestValue").strip()

    @cached_property
    def is_by_the_book(self) -> bool:
        """Tell whether algorithms, transforms and reference are those of the project (MOC 7.0, 3.2.3)."""
        return self.algorithms == _BY_THE_BOOK and self.names_what_is_signed

    @property
    def algorithms(self) -> list[tuple[str, str]]:
        """Every step that names its algorithm, in their order."""
        return [
            (child.tag.removeprefix(_DS), algorithm)
            for child in self.element.iter()
            if (algorithm := child.get("Algorithm"))
        ]

    @property
    def names_what_is_signed(self) -> bool:
        """Tell whether the reference is to the element with the Id, and there is no other."""
        references = self.element.findall(f"{_DS}SignedInfo/{_DS}Reference")
        return [one.get("URI") for one in references] == [f"#{self.signed.get('Id')}"]

    @property
    def is_good(self) -> bool:
        """Tell whether digest and signature are those of what is signed."""
        if self.credential is None:
            return False
        context = xmlsec.SignatureContext()
        context.register_id(self.signed, "Id")
        try:
            context.key = _key_of(self.credential)
            context.verify(self.element)
        except xmlsec.Error:
            return False
        return True

    def _text(self, tag: str) -> str:
        found = next(self.element.iterdescendants(tag), None)
        return "" if found is None else found.text or ""


_BY_THE_BOOK = [
    ("CanonicalizationMethod", _C14N),
    ("SignatureMethod", _RSA_SHA1),
    ("Transform", _ENVELOPED),
    ("Transform", _C14N),
    ("DigestMethod", _SHA1),
]


@lru_cache(maxsize=1024)
def _key_of(credential: Credential) -> xmlsec.Key:
    # The public key alone: each context takes a copy, and that of a whole certificate takes 0.1 ms.
    key = credential.certificate.public_key()
    public = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return xmlsec.Key.from_memory(public, xmlsec.constants.KeyDataFormatPem)


def signature_of(root: etree._Element) -> Signature | None:
    """The signature of a message whose root stands alone; None if it has none, or signs nothing."""
    element = root.find(f"{_DS}Signature")
    signed = next((child for child in root.iterchildren("{*}*") if child.get("Id")), None)
    return None if element is None or signed is None else Signature(element, signed)
