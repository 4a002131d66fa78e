"""Verification of foreign signatures: their place, changes of the document, and how they were made."""

import base64
import re
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import NAMESPACE, BadSignature, Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.xml_reading import UnreadableXml
from unit.fiscal.signed_texts import (
    C14N,
    ID,
    NFE,
    accepted_by_xmlsec1,
    element,
    refusal,
    replaced,
    signed_again,
    signed_document,
    verified,
)


def certificate_of(authority: SampleAuthority, key: CertificatePublicKeyTypes) -> str:
    """Returns a certificate for a key of any kind and size, in base64."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "FRACA")])
    start = datetime(2026, 11, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key, 1, start, start + timedelta(days=1))
    issued = builder.sign(authority.private_key, hashes.SHA256())
    return base64.b64encode(issued.public_bytes(Encoding.DER)).decode()


def with_certificate(xml: str, certificate: str) -> str:
    return replaced(xml, element(xml, "X509Certificate"), f"<X509Certificate>{certificate}</X509Certificate>")


class TestVerifyInPlace:
    def test_document_in_a_batch_is_valid(self, nfe: str) -> None:
        xml = f'<enviNFe xmlns="{NFE}" versao="4.00"><idLote>1</idLote>{nfe}</enviNFe>'
        assert accepted_by_xmlsec1(xml)
        assert verified(xml, "n:NFe").reference_id == ID

    def test_batch_may_declare_the_namespace_for_all(self, nfe: str) -> None:
        inside = replaced(nfe, f'<NFe xmlns="{NFE}">', "<NFe>")
        xml = f'<enviNFe xmlns="{NFE}">{inside}</enviNFe>'
        assert accepted_by_xmlsec1(xml)
        assert verified(xml, "n:NFe").reference_id == ID

    def test_namespaces_of_the_envelope_are_part_of_the_signed_text(self, nfe: str, signer: Signer) -> None:
        envelope = '<s:Envelope xmlns:s="urn:soap" xmlns:u="urn:unused">{}</s:Envelope>'
        alone = envelope.format(nfe)
        assert not accepted_by_xmlsec1(alone)
        assert "não é o que foi assinado" in refusal(alone, "n:NFe")

    def test_document_signed_in_an_envelope_is_valid_only_there(self, signer: Signer) -> None:
        inherited = ' xmlns:s="urn:soap" xmlns:u="urn:unused"'
        inside = signed_document(signer, namespaces=inherited)
        envelope = f"<s:Envelope{inherited}>{inside}</s:Envelope>"
        assert accepted_by_xmlsec1(envelope)
        assert verified(envelope, "n:NFe").reference_id == ID
        assert "não é o que foi assinado" in refusal(inside)

    def test_xml_attributes_of_the_envelope_are_part_of_the_signed_text(
        self, nfe: str, signer: Signer
    ) -> None:
        envelope = '<s xml:lang="en" xml:space="preserve"><lote xml:lang="pt">{}</lote></s>'
        assert not accepted_by_xmlsec1(envelope.format(nfe))
        assert "não é o que foi assinado" in refusal(envelope.format(nfe), "lote/n:NFe")
        inside = signed_document(signer, attributes=' xml:lang="pt" xml:space="preserve"')
        assert accepted_by_xmlsec1(envelope.format(inside))
        assert verified(envelope.format(inside), "lote/n:NFe").reference_id == ID

    def test_two_prefixes_of_one_namespace_are_kept_apart(self, signer: Signer) -> None:
        content = "<n:a>1</n:a><a>2</a>"
        inherited = f' xmlns:n="{NFE}"'
        inside = signed_document(signer, content, namespaces=inherited)
        envelope = f"<n:lote{inherited}>{inside}</n:lote>"
        assert accepted_by_xmlsec1(envelope)
        assert verified(envelope, "n:NFe").reference_id == ID

    def test_spelling_of_tags_by_a_third_party_does_not_matter(self, nfe: str) -> None:
        spaced = replaced(nfe, f'<infNFe Id="{ID}" versao="4.00">', f"<infNFe  versao='4.00'\n Id='{ID}' >")
        spaced = replaced(spaced, "<vazio></vazio>", "<vazio/>")
        assert accepted_by_xmlsec1(spaced)
        assert verified(spaced).reference_id == ID


class TestVerifyChanged:
    def test_no_byte_of_the_signed_part_or_the_signature_can_change(self, nfe: str) -> None:
        for changed in changes(nfe, step=1):
            with pytest.raises((BadSignature, UnreadableXml)):
                verified(changed)

    def test_another_implementation_refuses_the_same_changes(self, nfe: str) -> None:
        # The last digit before the padding has unused bits; only our implementation checks them.
        assert not any(accepted_by_xmlsec1(changed) for changed in changes(nfe, step=29, end=-4))

    def test_unused_bits_of_the_last_digit_cannot_change(self, nfe: str) -> None:
        last = re.search(r"(.)==</SignatureValue>", nfe)
        assert last is not None
        digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        neighbour = digits[digits.index(last[1]) ^ 1]
        changed = replaced(nfe, last[0], f"{neighbour}==</SignatureValue>")
        assert accepted_by_xmlsec1(changed)
        assert "base64" in refusal(changed)

    def test_certificate_of_another_key_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
        foreign = certificate_of(authority, authority.private_key.public_key())
        changed = with_certificate(nfe, foreign)
        assert not accepted_by_xmlsec1(changed)
        assert "chave do certificado" in refusal(changed)

    @pytest.mark.parametrize("text", ["AAAA", "", "não", "A", "MIIB\u00a0"])
    def test_invalid_certificate_is_refused(self, nfe: str, text: str) -> None:
        assert refusal(with_certificate(nfe, text))

    def test_certificate_of_an_unknown_version_is_refused(self, nfe: str, certificate: A1Certificate) -> None:
        third, ninth = bytes.fromhex("a003020102"), bytes.fromhex("a003020108")
        other = certificate.certificate_der.replace(third, ninth, 1)
        assert "ilegível" in refusal(with_certificate(nfe, base64.b64encode(other).decode()))

    def test_short_key_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
        short = rsa.RSAPublicNumbers(65537, 2**767 + 1).public_key()
        assert "1024 bits" in refusal(with_certificate(nfe, certificate_of(authority, short)))

    def test_key_that_is_not_rsa_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
        other = ed25519.Ed25519PrivateKey.generate().public_key()
        assert "RSA" in refusal(with_certificate(nfe, certificate_of(authority, other)))

    def test_line_breaks_in_base64_are_accepted(self, nfe: str) -> None:
        broken = nfe
        for tag in ("SignatureValue", "X509Certificate"):
            text = element(nfe, tag).removeprefix(f"<{tag}>").removesuffix(f"</{tag}>")
            lines = "\r\n".join(re.findall(".{1,64}", text))
            broken = replaced(broken, text, f"\n{lines}\n")
        assert accepted_by_xmlsec1(broken)
        assert verified(broken) == verified(nfe)

    def test_white_space_between_the_parts_of_key_info_is_accepted(self, nfe: str) -> None:
        assert verified(replaced(nfe, "<KeyInfo><X509Data>", "<KeyInfo>\n <X509Data>\n")).reference_id == ID


def changes(xml: str, step: int, end: int = 0) -> list[str]:
    """Returns the document with one character replaced, at every `step`-th protected place."""
    first = (xml.index("<infNFe"), xml.index("</infNFe>") + len("</infNFe>"))
    second = (xml.index("<SignedInfo"), xml.index("</SignatureValue>") + end)
    places = [*range(*first, step), *range(*second, step)]
    return [f"{xml[:at]}{'A' if xml[at] != 'A' else 'B'}{xml[at + 1 :]}" for at in places]


class TestVerifyProfile:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            (f'{C14N}"></Canon', f'{C14N}#WithComments"></Canon'),
            (
                f'Algorithm="{NAMESPACE}rsa-sha1"',
                'Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"',
            ),
            (f'Algorithm="{NAMESPACE}rsa-sha1"', f'Algorithm="{NAMESPACE}hmac-sha1"'),
            (f'Algorithm="{NAMESPACE}sha1"', 'Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"'),
            (f'Algorithm="{NAMESPACE}enveloped-signature"', f'Algorithm="{C14N}"'),
            (f'<Transform Algorithm="{NAMESPACE}enveloped-signature"></Transform>', ""),
            ("</Transforms>", f'<Transform Algorithm="{C14N}"></Transform></Transforms>'),
            (f'{C14N}"></Transform>', f'{C14N}"><XPath>1</XPath></Transform>'),
            ("</DigestValue>", "</DigestValue><DigestValue></DigestValue>"),
            ("<DigestValue>", "<DigestValue><!-- -->"),
            ("<Transforms>", "texto<Transforms>"),
            ("</Transforms>", "</Transforms>texto"),
            ("<SignedInfo>", '<SignedInfo Id="x">'),
            (f'URI="#{ID}"', 'URI=""'),
            (f'URI="#{ID}"', f"URI=\"#xpointer(id('{ID}'))\""),
            (f'URI="#{ID}"', f'Type="x" URI="#{ID}"'),
            (f' URI="#{ID}"', ""),
        ],
    )
    def test_other_signed_info_is_refused_though_its_key_signed_it(
        self, nfe: str, signer: Signer, old: str, new: str
    ) -> None:
        assert "foge do padrão" in refusal(signed_again(replaced(nfe, old, new), signer))

    def test_extra_transform_is_refused_though_another_implementation_accepts_it(
        self, nfe: str, signer: Signer
    ) -> None:
        more = f'<Transform Algorithm="{C14N}"></Transform></Transforms>'
        xml = signed_again(replaced(nfe, "</Transforms>", more), signer)
        assert accepted_by_xmlsec1(xml)
        assert "Transforms" in refusal(xml)

    def test_two_references_are_refused(self, nfe: str, signer: Signer) -> None:
        reference = element(nfe, "Reference")
        xml = signed_again(replaced(nfe, reference, reference * 2), signer)
        assert accepted_by_xmlsec1(xml)
        assert "SignedInfo" in refusal(xml)

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("<KeyInfo>", "<KeyInfo><KeyName>x</KeyName>"),
            ("</X509Data>", "<X509SubjectName>x</X509SubjectName></X509Data>"),
            ("</X509Data>", "<X509Certificate>AAAA</X509Certificate></X509Data>"),
            ("</KeyInfo>", "<!-- x --></KeyInfo>"),
            ("</KeyInfo>", "<?x y?></KeyInfo>"),
            ("</Signature>", "<Object></Object></Signature>"),
            ("<SignatureValue>", '<SignatureValue Id="x">'),
        ],
    )
    def test_anything_else_in_the_signature_is_refused(self, nfe: str, old: str, new: str) -> None:
        assert "foge do padrão" in refusal(replaced(nfe, old, new))

    def test_bare_key_is_refused(self, nfe: str, certificate: A1Certificate) -> None:
        numbers = certificate.private_key.public_key().public_numbers()
        modulus = base64.b64encode(numbers.n.to_bytes(256)).decode()
        value = f"<RSAKeyValue><Modulus>{modulus}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>"
        xml = replaced(nfe, "<KeyInfo>", f"<KeyInfo><KeyValue>{value}</KeyValue>")
        assert accepted_by_xmlsec1(xml)
        assert "KeyInfo" in refusal(xml)

    def test_prefix_is_refused(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        prefixed = re.sub(r"<(/?)(\w)", r"<\1ds:\2", signature).replace("xmlns=", "xmlns:ds=")
        assert "foge do padrão" in refusal(replaced(nfe, signature, prefixed))
