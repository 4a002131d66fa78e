"""Signatures, checked by libxmlsec."""

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.signatures import XmlSignature, signature_of
from unit.simulator.mutating import DS, at, mutated, nfe, says


def signature(xml: bytes) -> XmlSignature:
    xml_signature = signature_of(etree.fromstring(xml))
    assert xml_signature
    return xml_signature


class TestSignature:
    def test_our_signature_is_valid(self, signer: Signer) -> None:
        checked = signature(nfe(signer))
        assert checked.has_required_form
        assert checked.verifies

    def test_renewed_signature_is_valid(self, signer: Signer) -> None:
        checked = signature(mutated(nfe(signer), says("infNFe/ide/natOp", "DEVOLUCAO"), signer))
        assert checked.verifies

    def test_changed_text_makes_the_signature_invalid(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        at(root, "infNFe/ide/natOp").text = "OUTRA"
        assert not signature(etree.tostring(root)).verifies

    def test_changed_certificate_makes_the_signature_invalid(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        certificate = root.find(f".//{DS}X509Certificate")
        assert certificate is not None
        certificate.text = "AAAA"
        assert not signature(etree.tostring(root)).verifies

    def test_signature_of_another_element_does_not_have_the_required_form(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        reference = root.find(f".//{DS}Reference")
        assert reference is not None
        reference.set("URI", "")
        assert not signature(etree.tostring(root)).has_required_form
