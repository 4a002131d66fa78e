"""Our signatures checked by another implementation, and throwaway signatures."""

import base64

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import NAMESPACE, Signer
from unit.fiscal.signed_texts import (
    C14N,
    ID,
    accepted_by_xmlsec1,
    element,
    refusal,
    replaced,
    signed_document,
    verified,
)

DSIG = f"{{{NAMESPACE}}}"
SUPPLEMENT = "<infNFeSupl><qrCode>https://x.test/?p=1|2</qrCode></infNFeSupl>"


class TestSign:
    @pytest.mark.parametrize(
        ("root", "tag", "supplement"),
        [
            ("NFe", "infNFe", ""),
            ("NFe", "infNFe", SUPPLEMENT),
            ("CTe", "infCte", "<infCTeSupl></infCTeSupl>"),
            ("evento", "infEvento", ""),
            ("inutNFe", "infInut", ""),
        ],
    )
    def test_signature_is_accepted_by_us_and_by_another_implementation(
        self, signer: Signer, certificate: A1Certificate, root: str, tag: str, supplement: str
    ) -> None:
        xml = signed_document(signer, root=root, tag=tag, supplement=supplement)
        assert accepted_by_xmlsec1(xml, tag)
        signature = verified(xml)
        assert (signature.reference_id, signature.signed_tag) == (ID, tag)
        assert signature.certificate_der == certificate.certificate_der

    def test_signature_is_canonical_text(self, signer: Signer) -> None:
        text = signer.sign(b"<a></a>", ID).text
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_digest_is_the_sha_1_of_the_signed_part(self, signer: Signer) -> None:
        signature = signer.sign("ã".encode(), ID)
        assert signature.digest_value == "AUq6g9CG8VsqmxxCuzZhsL6sEcQ="
        assert f"<DigestValue>{signature.digest_value}</DigestValue>".encode() in signature.text

    def test_profile_is_that_of_the_authorities(self, signer: Signer, certificate: A1Certificate) -> None:
        signature = etree.fromstring(signer.sign(b"<a></a>", ID).text)
        assert [node.get("Algorithm") for node in signature.iter() if node.get("Algorithm")] == [
            C14N,
            "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
            "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
            C14N,
            "http://www.w3.org/2000/09/xmldsig#sha1",
        ]
        assert [node.get("URI") for node in signature.iter(f"{DSIG}Reference")] == [f"#{ID}"]
        key_info = signature[-1]
        assert [node.tag for node in key_info.iter()] == [
            f"{DSIG}KeyInfo",
            f"{DSIG}X509Data",
            f"{DSIG}X509Certificate",
        ]
        assert key_info[0][0].text == base64.b64encode(certificate.certificate_der).decode()

    def test_repr_of_a_signer_does_not_show_its_key(self, signer: Signer) -> None:
        assert repr(signer) == "Signer()"

    # The characters that C14N writes unchanged; the escaped ones are in CONTENT.
    @given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="&<>\ufffe\uffff")))
    def test_any_text_can_be_signed(self, signer: Signer, text: str) -> None:
        assert verified(signed_document(signer, f"<x>{text}</x>")).reference_id == ID


class TestSignText:
    def test_signed_text_is_rsa_sha1_in_base64(self, signer: Signer, certificate: A1Certificate) -> None:
        signature = base64.b64decode(signer.sign_text("ação|3|2"), validate=True)
        public_key = certificate.private_key.public_key()
        public_key.verify(signature, "ação|3|2".encode(), padding.PKCS1v15(), hashes.SHA1())


class TestThrowaway:
    def test_throwaway_signature_has_form_and_length_of_a_real_one(self, signer: Signer) -> None:
        real, trial = (signed_document(each_signer) for each_signer in (signer, Signer.throwaway()))
        value, certificate = element(trial, "SignatureValue"), element(trial, "X509Certificate")
        assert len(value) == len(element(real, "SignatureValue"))
        assert len(certificate) >= len(element(real, "X509Certificate"))
        rest = replaced(trial, value, element(real, "SignatureValue"))
        assert replaced(rest, certificate, element(real, "X509Certificate")) == real

    def test_throwaway_signature_says_that_it_is_worth_nothing(self) -> None:
        trial = signed_document(Signer.throwaway())
        for tag in ("SignatureValue", "X509Certificate"):
            assert element(trial, tag).startswith(f"<{tag}>SEMVALORSEMVALOR")
        assert Signer.throwaway().sign_text("ação").startswith("SEMVALORSEMVALOR")

    def test_throwaway_signature_is_accepted_by_nobody(self) -> None:
        trial = signed_document(Signer.throwaway())
        assert refusal(trial) == "O certificado da assinatura é ilegível."
        assert not accepted_by_xmlsec1(trial)

    def test_throwaway_signature_is_refused_beside_a_real_certificate(self, signer: Signer, nfe: str) -> None:
        trial = signed_document(Signer.throwaway())
        forged = replaced(trial, element(trial, "X509Certificate"), element(nfe, "X509Certificate"))
        assert refusal(forged) == "A assinatura não é da chave do certificado."
