"""Signatures: ours before another implementation's eyes, and others' before ours."""

import base64
import re
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.signature import (
    MAX_ATTRIBUTES,
    MAX_PREFIXES,
    NAMESPACE,
    BadSignature,
    Signer,
    VerifiedSignature,
    verify,
)
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml
from xmlsec1 import xmlsec1_accepts

NFE = "http://www.portalfiscal.inf.br/nfe"
DSIG = f"{{{NAMESPACE}}}"
C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
ID = "NFe35261111222333000181550010000000011123456806"
CONTENT = '<ide><cUF>35</cUF></ide><emit><xNome>PÃO &amp; CIA &gt; "X"</xNome><vazio></vazio></emit>'
SUPPLEMENT = "<infNFeSupl><qrCode>https://x.test/?p=1|2</qrCode></infNFeSupl>"
FORGED = f'<infNFe Id="{ID}1" versao="4.00"><ide><cUF>43</cUF></ide></infNFe>'


@pytest.fixture(scope="module")
def certificate(company_certificate: SampleCertificate) -> A1Certificate:
    return A1Certificate.from_bundle(company_certificate.to_pem())


@pytest.fixture(scope="module")
def nfe(signer: Signer) -> str:
    return signed_document(signer)


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
    """A document as it is issued, or with what C14N brings into it from an envelope that it stands in."""
    start, rest = f'Id="{ID}" versao="4.00"', f">{content}</{tag}>"
    canonical = f'<{tag} xmlns="{NFE}"{namespaces} {start}{attributes}{rest}'
    text = signer.sign(canonical.encode(), ID).text.decode()
    if inherited := namespaces + attributes:
        text = signed_again(text, signer, inherited)
    return f'<{root} xmlns="{NFE}"><{tag} {start}{rest}{supplement}{text}</{root}>'


def verified(xml: str, path: str = ".") -> VerifiedSignature:
    found = read_xml(xml.encode()).find(path, {"n": NFE})
    assert found is not None
    return verify(found)


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
    """The text of the first element with a tag."""
    return xml[xml.index(f"<{tag}") : xml.index(f"</{tag}>") + len(tag) + 3]


def signed_again(xml: str, signer: Signer, inherited: str = "") -> str:
    """Make the signature of an altered SignedInfo good, as the owner of the key could."""
    in_place = f'<SignedInfo xmlns="{NAMESPACE}"{inherited}'
    signed_info = replaced(element(xml, "SignedInfo"), "<SignedInfo", in_place)
    value = f"<SignatureValue>{signer.sign_text(signed_info)}</SignatureValue>"
    return replaced(xml, element(xml, "SignatureValue"), value)


def certificate_of(authority: SampleAuthority, key: CertificatePublicKeyTypes) -> str:
    """A certificate for a key of any kind and size, in base64."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "FRACA")])
    start = datetime(2026, 11, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key, 1, start, start + timedelta(days=1))
    issued = builder.sign(authority.private_key, hashes.SHA256())
    return base64.b64encode(issued.public_bytes(Encoding.DER)).decode()


def with_certificate(xml: str, certificate: str) -> str:
    return replaced(xml, element(xml, "X509Certificate"), f"<X509Certificate>{certificate}</X509Certificate>")


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
    def test_another_implementation_and_ours_accept_it(
        self, signer: Signer, certificate: A1Certificate, root: str, tag: str, supplement: str
    ) -> None:
        xml = signed_document(signer, root=root, tag=tag, supplement=supplement)
        assert accepted_by_xmlsec1(xml, tag)
        found = verified(xml)
        assert (found.reference_id, found.signed_tag) == (ID, tag)
        assert found.certificate_der == certificate.certificate_der

    def test_the_text_is_canonical(self, signer: Signer) -> None:
        text = signer.sign(b"<a></a>", ID).text
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    def test_the_digest_is_the_sha_1_of_what_is_signed(self, signer: Signer) -> None:
        signature = signer.sign("ã".encode(), ID)
        assert signature.digest_value == "AUq6g9CG8VsqmxxCuzZhsL6sEcQ="
        assert f"<DigestValue>{signature.digest_value}</DigestValue>".encode() in signature.text

    def test_the_profile_is_the_authorities_own(self, signer: Signer, certificate: A1Certificate) -> None:
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

    def test_a_signer_does_not_show_its_key(self, signer: Signer) -> None:
        assert repr(signer) == "Signer()"

    # The characters that C14N writes as they are; the escaped ones are in CONTENT.
    @given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="&<>\ufffe\uffff")))
    def test_any_text_can_be_signed(self, signer: Signer, text: str) -> None:
        assert verified(signed_document(signer, f"<x>{text}</x>")).reference_id == ID


class TestSignText:
    def test_it_is_rsa_sha1_of_the_text_in_base64(self, signer: Signer, certificate: A1Certificate) -> None:
        signature = base64.b64decode(signer.sign_text("ação|3|2"), validate=True)
        public_key = certificate.private_key.public_key()
        public_key.verify(signature, "ação|3|2".encode(), padding.PKCS1v15(), hashes.SHA1())


class TestThrowaway:
    def test_has_form_and_length_of_a_real_signature(self, signer: Signer) -> None:
        real, trial = (signed_document(one) for one in (signer, Signer.throwaway()))
        value, certificate = element(trial, "SignatureValue"), element(trial, "X509Certificate")
        assert len(value) == len(element(real, "SignatureValue"))
        assert len(certificate) >= len(element(real, "X509Certificate"))
        rest = replaced(trial, value, element(real, "SignatureValue"))
        assert replaced(rest, certificate, element(real, "X509Certificate")) == real

    def test_says_that_it_is_worth_nothing(self) -> None:
        trial = signed_document(Signer.throwaway())
        for tag in ("SignatureValue", "X509Certificate"):
            assert element(trial, tag).startswith(f"<{tag}>SEMVALORSEMVALOR")
        assert Signer.throwaway().sign_text("ação").startswith("SEMVALORSEMVALOR")

    def test_is_accepted_by_nobody(self) -> None:
        trial = signed_document(Signer.throwaway())
        assert refusal(trial) == "O certificado da assinatura é ilegível."
        assert not accepted_by_xmlsec1(trial)

    def test_is_refused_beside_a_real_certificate_too(self, signer: Signer, nfe: str) -> None:
        trial = signed_document(Signer.throwaway())
        forged = replaced(trial, element(trial, "X509Certificate"), element(nfe, "X509Certificate"))
        assert refusal(forged) == "A assinatura não é da chave do certificado."


class TestVerifyInPlace:
    def test_a_document_in_a_lot_is_good(self, nfe: str) -> None:
        xml = f'<enviNFe xmlns="{NFE}" versao="4.00"><idLote>1</idLote>{nfe}</enviNFe>'
        assert accepted_by_xmlsec1(xml)
        assert verified(xml, "n:NFe").reference_id == ID

    def test_a_lot_may_declare_the_namespace_for_all(self, nfe: str) -> None:
        inside = replaced(nfe, f'<NFe xmlns="{NFE}">', "<NFe>")
        xml = f'<enviNFe xmlns="{NFE}">{inside}</enviNFe>'
        assert accepted_by_xmlsec1(xml)
        assert verified(xml, "n:NFe").reference_id == ID

    def test_namespaces_of_the_envelope_belong_to_what_is_signed(self, nfe: str, signer: Signer) -> None:
        envelope = '<s:Envelope xmlns:s="urn:soap" xmlns:u="urn:unused">{}</s:Envelope>'
        alone = envelope.format(nfe)
        assert not accepted_by_xmlsec1(alone)
        assert "não é o que foi assinado" in refusal(alone, "n:NFe")

    def test_signed_in_an_envelope_it_is_good_there_and_not_outside(self, signer: Signer) -> None:
        inherited = ' xmlns:s="urn:soap" xmlns:u="urn:unused"'
        inside = signed_document(signer, namespaces=inherited)
        envelope = f"<s:Envelope{inherited}>{inside}</s:Envelope>"
        assert accepted_by_xmlsec1(envelope)
        assert verified(envelope, "n:NFe").reference_id == ID
        assert "não é o que foi assinado" in refusal(inside)

    def test_xml_attributes_of_the_envelope_belong_to_what_is_signed(self, nfe: str, signer: Signer) -> None:
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

    def test_the_declaration_in_the_text_of_a_third_party_does_not_matter(self, nfe: str) -> None:
        spaced = replaced(nfe, f'<infNFe Id="{ID}" versao="4.00">', f"<infNFe  versao='4.00'\n Id='{ID}' >")
        spaced = replaced(spaced, "<vazio></vazio>", "<vazio/>")
        assert accepted_by_xmlsec1(spaced)
        assert verified(spaced).reference_id == ID


class TestVerifyChanged:
    def test_no_byte_can_change_in_what_was_signed_nor_in_the_signature(self, nfe: str) -> None:
        for changed in changes(nfe, step=1):
            with pytest.raises((BadSignature, UnreadableXml)):
                verified(changed)

    def test_another_implementation_refuses_the_same_changes(self, nfe: str) -> None:
        # The last digit before the padding has bits that nobody reads; only ours insists on them.
        assert not any(accepted_by_xmlsec1(changed) for changed in changes(nfe, step=29, end=-4))

    def test_the_unread_bits_of_the_last_digit_cannot_change(self, nfe: str) -> None:
        last = re.search(r"(.)==</SignatureValue>", nfe)
        assert last is not None
        digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        neighbour = digits[digits.index(last[1]) ^ 1]
        changed = replaced(nfe, last[0], f"{neighbour}==</SignatureValue>")
        assert accepted_by_xmlsec1(changed)
        assert "base64" in refusal(changed)

    def test_the_certificate_of_another_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
        foreign = certificate_of(authority, authority.private_key.public_key())
        changed = with_certificate(nfe, foreign)
        assert not accepted_by_xmlsec1(changed)
        assert "chave do certificado" in refusal(changed)

    @pytest.mark.parametrize("text", ["AAAA", "", "não", "A", "MIIB\u00a0"])
    def test_a_certificate_that_is_none_is_refused(self, nfe: str, text: str) -> None:
        assert refusal(with_certificate(nfe, text))

    def test_a_certificate_of_an_unknown_version_is_refused(
        self, nfe: str, certificate: A1Certificate
    ) -> None:
        third, ninth = bytes.fromhex("a003020102"), bytes.fromhex("a003020108")
        other = certificate.certificate_der.replace(third, ninth, 1)
        assert "ilegível" in refusal(with_certificate(nfe, base64.b64encode(other).decode()))

    def test_a_short_key_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
        short = rsa.RSAPublicNumbers(65537, 2**767 + 1).public_key()
        assert "1024 bits" in refusal(with_certificate(nfe, certificate_of(authority, short)))

    def test_a_key_that_is_not_rsa_is_refused(self, nfe: str, authority: SampleAuthority) -> None:
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
    """The document with one character replaced, at every `step`-th place of what the signature protects."""
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
    def test_any_other_signed_info_is_refused_though_its_key_signed_it(
        self, nfe: str, signer: Signer, old: str, new: str
    ) -> None:
        assert "foge do padrão" in refusal(signed_again(replaced(nfe, old, new), signer))

    def test_a_transform_more_is_refused_though_another_implementation_accepts_it(
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

    def test_a_bare_key_is_refused(self, nfe: str, certificate: A1Certificate) -> None:
        numbers = certificate.private_key.public_key().public_numbers()
        modulus = base64.b64encode(numbers.n.to_bytes(256)).decode()
        value = f"<RSAKeyValue><Modulus>{modulus}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>"
        xml = replaced(nfe, "<KeyInfo>", f"<KeyInfo><KeyValue>{value}</KeyValue>")
        assert accepted_by_xmlsec1(xml)
        assert "KeyInfo" in refusal(xml)

    def test_a_prefix_is_refused(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        prefixed = re.sub(r"<(/?)(\w)", r"<\1ds:\2", signature).replace("xmlns=", "xmlns:ds=")
        assert "foge do padrão" in refusal(replaced(nfe, signature, prefixed))


class TestVerifyPlace:
    def test_no_signature_is_named_so(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        for xml in (replaced(nfe, signature, ""), f"<NFe>{signature}</NFe>", "<NFe/>"):
            assert "não termina com uma assinatura" in refusal(xml)

    def test_a_signature_that_is_not_last_is_refused(self, nfe: str) -> None:
        assert "não termina" in refusal(replaced(nfe, "</NFe>", "<x></x></NFe>"))

    def test_a_second_signature_is_refused(self, nfe: str) -> None:
        signature = nfe[nfe.index("<Signature ") : nfe.index("</NFe>")]
        assert "grupos a mais" in refusal(replaced(nfe, signature, signature * 2))

    def test_a_group_of_another_namespace_is_refused(self, nfe: str) -> None:
        assert "não começa" in refusal(replaced(nfe, "<infNFe", '<infNFe xmlns="urn:x"'))

    @pytest.mark.parametrize("identifier", ["", "xpointer(/)", "1", "NFe 1", "ã"])
    def test_an_id_that_could_mean_something_else_is_refused(self, signer: Signer, identifier: str) -> None:
        xml = signed_document(signer).replace(ID, identifier)
        assert "Id válido" in refusal(xml)

    @pytest.mark.parametrize("name", ["Id", "ID", "id", "xml:id"])
    def test_an_id_held_twice_is_refused(self, nfe: str, name: str) -> None:
        inside = f'<lote xmlns="{NFE}"><x {name}="{ID}"/>{nfe}</lote>'
        assert "se repete" in refusal(inside, "n:NFe")

    @pytest.mark.parametrize("node", ["<!-- x -->", "<?x y?>"])
    def test_comments_and_instructions_are_refused_wherever_they_could_hide(
        self, nfe: str, node: str
    ) -> None:
        for place in ("<infNFe", "<cUF>", "</cUF>", "<Signature ", "</NFe>"):
            assert refusal(replaced(nfe, place, f"{node}{place}"))
        assert "comentários" in refusal(replaced(nfe, "<cUF>35", f"<cUF>3{node}5"))


class TestVerifyWrapped:
    """Documents that hold a good signature, and something else where readers look."""

    def test_the_signed_group_in_the_signature_and_a_forged_one_in_its_place(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        declared = replaced(real, "<infNFe", f'<infNFe xmlns="{NFE}"')
        hidden = replaced(nfe, "</Signature>", f"<Object>{declared}</Object></Signature>")
        xml = replaced(hidden, real, FORGED)
        assert "foge do padrão" in refusal(xml)

    def test_the_signed_group_in_the_forged_one(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, replaced(FORGED, "</ide>", f"</ide>{real}"))
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_the_signed_group_in_the_supplement(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        xml = replaced(nfe, real, f"{FORGED}<infNFeSupl>{real}</infNFeSupl>")
        assert accepted_by_xmlsec1(xml)
        assert "Reference" in refusal(xml)

    def test_the_forged_group_with_the_same_id(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        same = FORGED.replace(f"{ID}1", ID)
        xml = replaced(nfe, real, f"{same}<infNFeSupl>{real}</infNFeSupl>")
        assert "se repete" in refusal(xml)

    def test_the_forged_group_beside_the_signed_one(self, nfe: str) -> None:
        real = element(nfe, "infNFe")
        for both in (real + FORGED, FORGED + real):
            xml = replaced(nfe, real, both)
            assert accepted_by_xmlsec1(xml)
            assert "grupos a mais" in refusal(xml)


class TestVerifyCostly:
    """Small documents that would keep libxml2's C14N busy for minutes."""

    def test_namespaces_around_the_document_are_bounded(self, signer: Signer) -> None:
        def inside(count: int) -> str:
            namespaces = "".join(f' xmlns:p{n:02}="urn:{n}"' for n in range(count))
            return f"<lote{namespaces}>{signed_document(signer, namespaces=namespaces)}</lote>"

        # The default namespace is one of those in scope.
        assert verified(inside(MAX_PREFIXES - 1), "n:NFe").reference_id == ID
        assert "demais" in refusal(inside(MAX_PREFIXES), "n:NFe")

    def test_namespaces_in_the_document_are_bounded(self, signer: Signer) -> None:
        def content(count: int) -> str:
            return "".join(f'<p:a xmlns:p="urn:{n}"></p:a>' for n in range(count))

        assert verified(signed_document(signer, content(MAX_PREFIXES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_PREFIXES + 1)))

    def test_attributes_are_bounded(self, signer: Signer) -> None:
        def content(count: int) -> str:
            attributes = "".join(f' b{n:02}=""' for n in range(count))
            return f"<a{attributes}></a>"

        assert verified(signed_document(signer, content(MAX_ATTRIBUTES))).reference_id == ID
        assert "demais" in refusal(signed_document(signer, content(MAX_ATTRIBUTES + 1)))

    def test_what_c14n_cannot_write_is_refused(self, nfe: str) -> None:
        assert "canonizado" in refusal(replaced(nfe, "<cUF>", '<cUF xmlns:r="relative">'))
