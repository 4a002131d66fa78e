"""What an authority signs its own documents with; by libxmlsec, like the check of what others signed."""

from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cached_property

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority

OWNER, OWNER_NAME = "00394460005887", "SEFIN NACIONAL SIMULADA"
"""Whose certificate it is: the CNPJ is that of the Receita Federal."""

_DS = "http://www.w3.org/2000/09/xmldsig#"
_C14N = "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"
_RSA_SHA256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
_SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_LONG = timedelta(days=20 * 365)


class Seal:
    """A private key with its certificate, which are read when something is signed for the first time."""

    def __init__(self, pem: Callable[[], bytes]) -> None:
        self._pem = pem

    def sign(self, xml: str) -> bytes:
        """An element with the signature of its first child, which has an Id, as its last."""
        root = etree.fromstring(xml)
        signed = root[0]
        signature = etree.fromstring(_unsigned(signed.get("Id", ""), self._certificate))
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
        found = x509.load_pem_x509_certificate(self._content)
        return b64encode(found.public_bytes(Encoding.DER)).decode()


def _throwaway() -> bytes:
    authority = SampleAuthority.create(_BEGIN)
    return authority.issue_company(OWNER, OWNER_NAME, _BEGIN, _BEGIN + _LONG).to_pem()


THROWAWAY = Seal(_throwaway)
"""For whoever has no folder to keep one in."""


def _unsigned(reference: str, certificate: str) -> str:
    """A signature that lacks digest and value, with the algorithms of the Sefin Nacional."""
    transforms = "".join(
        f'<Transform Algorithm="{algorithm}"/>' for algorithm in (f"{_DS}enveloped-signature", _C14N)
    )
    return (
        f'<Signature xmlns="{_DS}"><SignedInfo><CanonicalizationMethod Algorithm="{_C14N}"/>'
        f'<SignatureMethod Algorithm="{_RSA_SHA256}"/><Reference URI="#{reference}">'
        f'<Transforms>{transforms}</Transforms><DigestMethod Algorithm="{_SHA256}"/><DigestValue/>'
        "</Reference></SignedInfo><SignatureValue/><KeyInfo><X509Data>"
        f"<X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo></Signature>"
    )
