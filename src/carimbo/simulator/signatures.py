"""XML signatures by libxmlsec, another implementation than the product's: check and creation."""

from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.simulator.trust import JudgedCertificate, judged_certificate

_DS = "{http://www.w3.org/2000/09/xmldsig#}"
_C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
_RSA_SHA1 = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
_SHA1 = "http://www.w3.org/2000/09/xmldsig#sha1"
_REQUIRED_ALGORITHMS = [
    ("CanonicalizationMethod", _C14N),
    ("SignatureMethod", _RSA_SHA1),
    ("Transform", _ENVELOPED),
    ("Transform", _C14N),
    ("DigestMethod", _SHA1),
]
SEFIN_CNPJ, SEFIN_NAME = "00394460005887", "SEFIN NACIONAL SIMULADA"
"""Owner of the signing certificate; the CNPJ is that of the Receita Federal."""
_XMLDSIG = "http://www.w3.org/2000/09/xmldsig#"
_EXCLUSIVE_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"
_RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_LONG = timedelta(days=20 * 365)


@dataclass(frozen=True)
class XmlSignature:
    """The signature of a message."""

    element: etree._Element
    signed: etree._Element
    """The element with the Id: `infNFe`, `infEvento`, `infInut`, `infDPS`, `infPedReg`."""

    @cached_property
    def credential(self) -> JudgedCertificate | None:
        """The signer's certificate; None if it is unreadable."""
        text = "".join(self._text(f"{_DS}X509Certificate").split())
        try:
            return judged_certificate(b64decode(text, validate=True))
        except ValueError:
            return None

    @property
    def digest(self) -> str:
        """The `DigestValue` that the signature states."""
        return self._text(f"{_DS}DigestValue").strip()

    @cached_property
    def has_required_form(self) -> bool:
        """Whether algorithms, transforms and reference are the required ones (MOC 7.0, 3.2.3)."""
        return self.algorithms == _REQUIRED_ALGORITHMS and self.references_signed_element

    @property
    def algorithms(self) -> list[tuple[str, str]]:
        """The element and the algorithm of every step, in their order."""
        return [
            (child.tag.removeprefix(_DS), algorithm)
            for child in self.element.iter()
            if (algorithm := child.get("Algorithm"))
        ]

    @property
    def references_signed_element(self) -> bool:
        """Whether the only reference is the one to the element with the Id."""
        references = self.element.findall(f"{_DS}SignedInfo/{_DS}Reference")
        return [reference.get("URI") for reference in references] == [f"#{self.signed.get('Id')}"]

    @property
    def verifies(self) -> bool:
        """Whether digest and signature value match the signed element."""
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
        child = next(self.element.iterdescendants(tag), None)
        return "" if child is None else child.text or ""


@lru_cache(maxsize=1024)
def _key_of(credential: JudgedCertificate) -> xmlsec.Key:
    # The public key alone: each context copies its key, and copying a whole certificate takes 0.1 ms.
    key = credential.certificate.public_key()
    public = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return xmlsec.Key.from_memory(public, xmlsec.constants.KeyDataFormatPem)


def signature_of(root: etree._Element) -> XmlSignature | None:
    """Returns the signature of a message; None if it has none, or no element with an Id."""
    element = root.find(f"{_DS}Signature")
    signed = next((child for child in root.iterchildren("{*}*") if child.get("Id")), None)
    return None if element is None or signed is None else XmlSignature(element, signed)


class AuthoritySigner:
    """Signs documents of an authority. Its key and certificate are read when it signs for the first time."""

    def __init__(self, pem: Callable[[], bytes]) -> None:
        self._pem = pem

    def sign(self, xml: str) -> bytes:
        """Returns an element whose last child is the signature of its first child, which has the Id."""
        root = etree.fromstring(xml)
        signed = root[0]
        signature = etree.fromstring(_signature_template(signed.get("Id", ""), self._certificate))
        root.append(signature)
        context = xmlsec.SignatureContext()
        context.key = self._key
        context.register_id(signed, "Id")
        context.sign(signature)
        return etree.tostring(root, encoding="utf-8")

    @cached_property
    def _content(self) -> bytes:
        return self._pem()

    @cached_property
    def _key(self) -> xmlsec.Key:
        return xmlsec.Key.from_memory(self._content, xmlsec.constants.KeyDataFormatPem)

    @cached_property
    def _certificate(self) -> str:
        certificate = x509.load_pem_x509_certificate(self._content)
        return b64encode(certificate.public_bytes(Encoding.DER)).decode()


def _throwaway() -> bytes:
    authority = SampleAuthority.create(_BEGIN)
    return authority.issue_company(SEFIN_CNPJ, SEFIN_NAME, _BEGIN, _BEGIN + _LONG).to_pem()


THROWAWAY_SIGNER = AuthoritySigner(_throwaway)
"""A signer that is kept in memory only."""


def _signature_template(reference: str, certificate: str) -> str:
    """A signature without digest and value, with the algorithms of the Sefin Nacional."""
    transforms = "".join(
        f'<Transform Algorithm="{algorithm}"/>'
        for algorithm in (f"{_XMLDSIG}enveloped-signature", _EXCLUSIVE_C14N)
    )
    return (
        f'<Signature xmlns="{_XMLDSIG}"><SignedInfo><CanonicalizationMethod Algorithm="{_EXCLUSIVE_C14N}"/>'
        f'<SignatureMethod Algorithm="{_RSA_SHA256}"/><Reference URI="#{reference}">'
        f'<Transforms>{transforms}</Transforms><DigestMethod Algorithm="{_SHA256}"/><DigestValue/>'
        "</Reference></SignedInfo><SignatureValue/><KeyInfo><X509Data>"
        f"<X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></Signature>"
    )
