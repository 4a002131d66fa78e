"""Signed documents as text, which tests change and sign again."""

import pytest

from carimbo.fiscal.identity.signature import NAMESPACE, BadSignature, Signer, VerifiedSignature, verify
from carimbo.fiscal.xml_reading import read_xml
from xmlsec1 import xmlsec1_accepts

NFE = "http://www.portalfiscal.inf.br/nfe"
C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
ID = "NFe35261111222333000181550010000000011123456806"
CONTENT = '<ide><cUF>35</cUF></ide><emit><xNome>PÃO &amp; CIA &gt; "X"</xNome><vazio></vazio></emit>'


def signed_document(
    signer: Signer,
    content: str = CONTENT,
    *,
    root: str = "NFe",
    tag: str = "infNFe",
    supplement: str = "",
    namespaces: str = "",
    attributes: str = "",
) -> str:
    """Returns a document as it is issued, or with what C14N adds from an envelope around it."""
    start, rest = f'Id="{ID}" versao="4.00"', f">{content}</{tag}>"
    canonical = f'<{tag} xmlns="{NFE}"{namespaces} {start}{attributes}{rest}'
    text = signer.sign(canonical.encode(), ID).text.decode()
    if inherited := namespaces + attributes:
        text = signed_again(text, signer, inherited)
    return f'<{root} xmlns="{NFE}"><{tag} {start}{rest}{supplement}{text}</{root}>'


def verified(xml: str, path: str = ".") -> VerifiedSignature:
    document = read_xml(xml.encode()).find(path, {"n": NFE})
    assert document is not None
    return verify(document)


def refusal(xml: str, path: str = ".") -> str:
    with pytest.raises(BadSignature) as raised:
        verified(xml, path)
    return str(raised.value)


def accepted_by_xmlsec1(xml: str, tag: str = "infNFe") -> bool:
    return xmlsec1_accepts(xml.encode(), tag)


def replaced(xml: str, old: str, new: str) -> str:
    assert old in xml
    return xml.replace(old, new, 1)


def element(xml: str, tag: str) -> str:
    """Returns the text of the first element with a tag."""
    return xml[xml.index(f"<{tag}") : xml.index(f"</{tag}>") + len(tag) + 3]


def signed_again(xml: str, signer: Signer, inherited: str = "") -> str:
    """Returns the XML with its altered SignedInfo signed again, as the owner of the key could do."""
    in_place = f'<SignedInfo xmlns="{NAMESPACE}"{inherited}'
    signed_info = replaced(element(xml, "SignedInfo"), "<SignedInfo", in_place)
    value = f"<SignatureValue>{signer.sign_text(signed_info)}</SignatureValue>"
    return replaced(xml, element(xml, "SignatureValue"), value)
