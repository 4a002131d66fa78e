"""Signatures as libxmlsec sees them."""

from lxml import etree

from carimbo.fiscal.signature import Signer
from carimbo.simulator.signature import Signature, signature_of
from unit.simulator.mutating import DS, at, mutated, nfe, says


def signature(xml: bytes) -> Signature:
    found = signature_of(etree.fromstring(xml))
    assert found
    return found


class TestSignature:
    def test_a_document_that_we_signed_is_good(self, signer: Signer) -> None:
        found = signature(nfe(signer))
        assert found.is_by_the_book
        assert found.is_good

    def test_a_document_signed_again_is_good(self, signer: Signer) -> None:
        found = signature(mutated(nfe(signer), says("infNFe/ide/natOp", "DEVOLUCAO"), signer))
        assert found.is_good

    def test_a_changed_text_is_seen(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        at(root, "infNFe/ide/natOp").text = "OUTRA"
        assert not signature(etree.tostring(root)).is_good

    def test_another_certificate_is_seen(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        certificate = root.find(f".//{DS}X509Certificate")
        assert certificate is not None
        certificate.text = "AAAA"
        assert not signature(etree.tostring(root)).is_good

    def test_a_signature_of_another_element_is_not_by_the_book(self, signer: Signer) -> None:
        root = etree.fromstring(nfe(signer))
        reference = root.find(f".//{DS}Reference")
        assert reference is not None
        reference.set("URI", "")
        assert not signature(etree.tostring(root)).is_by_the_book
