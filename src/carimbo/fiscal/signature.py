"""The XML signature of Brazilian fiscal documents: written as text, checked as a tree.

There is one profile for all of them (MOC 7.0): enveloped XMLDSig, C14N 1.0 inclusive, RSA-SHA1, a reference
to one `Id`, and the certificate of the signer alone. SHA-1 is what the authorities demand, not our choice.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol, Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1
from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import local_name

NAMESPACE = "http://www.w3.org/2000/09/xmldsig#"
# Keys of documents that are years old may have this size; certificates of today have twice as much.
MIN_VERIFIED_KEY_BITS = 1024
# libxml2 canonicalises each element in time quadratic in its attributes and in the namespaces in scope: 2,000
# elements under 2,000 namespaces, 45 kB, take it a minute. Layouts have one namespace and few attributes.
MAX_PREFIXES = 16
MAX_ATTRIBUTES = 16

_C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_XML_ATTRIBUTE = "{http://www.w3.org/XML/1998/namespace}"
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_HOLDERS_OF_ID = etree.XPath("count(//@*[translate(local-name(), 'ID', 'id') = 'id'][. = $id])")
_TOO_MANY_ATTRIBUTES = etree.XPath(f"boolean(descendant-or-self::*/@*[{MAX_ATTRIBUTES + 1}])")
_UNSEEN_BY_C14N = (etree.Comment, etree.ProcessingInstruction, etree.Entity)

# Read in base64, as documents have them, these bytes say SEMVALOR: "worth nothing".
_WORTHLESS_SIGNATURE = base64.b64decode("SEMVALOR" * 43)[:256]
_WORTHLESS_CERTIFICATE = base64.b64decode("SEMVALOR" * 334)


class BadSignature(ValueError):
    """The document is not signed as it must be, or is not what was signed; the message is Portuguese."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature ready to be put in its place, before the end of the document's root."""

    text: bytes
    """The `Signature` element in canonical form."""
    digest_value: str
    """What the authority repeats as `digVal`, and the QR code of an offline NFC-e carries."""


class SigningKey(Protocol):
    """What a signer needs of an RSA key."""

    def sign(self, data: bytes, padding: PKCS1v15, algorithm: SHA1, /) -> bytes:
        """The signature of data."""


class _NoKey:
    """Stands where a key would, and signs nothing."""

    def sign(self, _data: bytes, _padding: PKCS1v15, _algorithm: SHA1, /) -> bytes:
        return _WORTHLESS_SIGNATURE


@dataclass(frozen=True, slots=True)
class Signer:
    """A certificate's key with everything of its signatures that never changes."""

    private_key: SigningKey = field(repr=False)
    key_info: str = field(repr=False)

    @classmethod
    def of(cls, certificate: A1Certificate) -> Self:
        """Prepare a certificate to sign any number of documents."""
        return cls(certificate.private_key, _key_info(_base64(certificate.certificate_der)))

    @classmethod
    def throwaway(cls) -> Self:
        """A signer for trials, without any key: its signatures have the form and length of real ones.

        Nobody can take them for real: value and certificate say SEMVALOR over and over, and no program can
        read such a certificate.
        """
        return cls(_NoKey(), _key_info(_base64(_WORTHLESS_CERTIFICATE)))

    def sign(self, canonical: bytes, reference_id: str) -> Signature:
        """Sign an element, given as C14N writes it with its namespace declared, and known by its `Id`."""
        digest_value = _base64(_sha1(canonical))
        signed_info = _signed_info(reference_id, digest_value)
        # C14N of SignedInfo in its place repeats the namespace that Signature declares.
        in_place = signed_info.replace("<SignedInfo>", f'<SignedInfo xmlns="{NAMESPACE}">', 1)
        written = _signature(signed_info, self.sign_text(in_place), self.key_info)
        return Signature(written.encode(), digest_value)

    def sign_text(self, text: str) -> str:
        """RSA-SHA1 of a text in base64, which version 3 of the QR code of NFC-e wants too."""
        return _base64(self.private_key.sign(text.encode(), PKCS1v15(), SHA1()))  # noqa: S303 - MOC 7.0


@dataclass(frozen=True, slots=True)
class VerifiedSignature:
    """What a good signature says."""

    certificate_der: bytes = field(repr=False)
    reference_id: str
    signed_tag: str
    """Local name of the signed element, whose namespace is the root's."""
    digest_value: str


def verify(root: etree._Element) -> VerifiedSignature:
    """Check that a document's first child is what the Signature in its last child signed.

    The certificate is taken as it comes: its chain, validity and owner are for the caller to check. The
    document comes from `read_xml`, and is canonicalised where it stands, with the namespaces of whatever is
    around it.
    """
    signed, signature = _signed_and_signature(root)
    reference_id = _reference_id(signed)
    _refuse_other_profile(signature, reference_id)
    digest, signature_value, certificate_der = _values(signature)
    if _sha1(_canonical(signed)) != digest:
        raise BadSignature("O conteúdo do documento não é o que foi assinado.")
    _verify_rsa(_public_key(certificate_der), signature_value, _canonical(signature[0]))
    return VerifiedSignature(certificate_der, reference_id, local_name(signed), _base64(digest))


def _signed_info(reference_id: str, digest_value: str) -> str:
    return (
        "<SignedInfo>"
        f'<CanonicalizationMethod Algorithm="{_C14N}"></CanonicalizationMethod>'
        f'<SignatureMethod Algorithm="{NAMESPACE}rsa-sha1"></SignatureMethod>'
        f'<Reference URI="#{reference_id}">'
        "<Transforms>"
        f'<Transform Algorithm="{NAMESPACE}enveloped-signature"></Transform>'
        f'<Transform Algorithm="{_C14N}"></Transform>'
        "</Transforms>"
        f'<DigestMethod Algorithm="{NAMESPACE}sha1"></DigestMethod>'
        f"<DigestValue>{digest_value}</DigestValue>"
        "</Reference>"
        "</SignedInfo>"
    )


def _key_info(certificate: str) -> str:
    return f"<KeyInfo><X509Data><X509Certificate>{certificate}</X509Certificate></X509Data></KeyInfo>"


def _signature(signed_info: str, value: str, key_info: str) -> str:
    return (
        f'<Signature xmlns="{NAMESPACE}">'
        f"{signed_info}<SignatureValue>{value}</SignatureValue>{key_info}"
        "</Signature>"
    )


def _signed_and_signature(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    """The two parts of a document; what may stand between them is the supplement, with the QR code."""
    children = list(root)
    if len(children) <= 1 or children[-1].tag != f"{{{NAMESPACE}}}Signature":
        raise BadSignature("O documento não termina com uma assinatura.")
    if any(node.tag in _UNSEEN_BY_C14N for node in children):
        raise BadSignature("O documento tem comentários ou instruções de processamento.")
    signed, *between, signature = children
    if etree.QName(signed).namespace != etree.QName(root).namespace:
        raise BadSignature("O documento não começa com o grupo assinado.")
    if [local_name(node).lower() for node in between] not in ([], [f"{local_name(signed).lower()}supl"]):
        raise BadSignature("O documento tem grupos a mais ao lado do que foi assinado.")
    return signed, signature


def _reference_id(signed: etree._Element) -> str:
    """The Id by which only the signed element can be meant, whoever resolves the reference."""
    identifier = signed.get("Id", "")
    if not _ID.fullmatch(identifier):
        raise BadSignature("O grupo assinado não tem um Id válido.")
    if _HOLDERS_OF_ID(signed, id=identifier) != 1:
        raise BadSignature("O Id do grupo assinado se repete no documento.")
    return identifier


def _refuse_other_profile(signature: etree._Element, reference_id: str) -> None:
    """Compare with the signature that we would have written, all but the three values."""
    written = etree.fromstring(_signature(_signed_info(reference_id, "x"), "x", _key_info("x")))
    for node, theirs, ours in zip(signature.iter(), _shape(signature), _shape(written), strict=False):
        if theirs != ours:
            place = "comentário" if node.tag in _UNSEEN_BY_C14N else quoted(local_name(node))
            raise BadSignature(f"A assinatura foge do padrão dos documentos fiscais em {place}.")


def _shape(element: etree._Element) -> Iterator[tuple[object, ...]]:
    """Tags, attributes and where there is text, in document order; the counts of children fix the nesting."""
    for node in element.iter():
        text = "".join([node.text or "", *(child.tail or "" for child in node)])
        yield node.tag, node.prefix, sorted(node.items()), len(node), bool(text.strip())


def _values(signature: etree._Element) -> tuple[bytes, bytes, bytes]:
    digest, value, certificate = (
        _decoded(node)
        for name in ("DigestValue", "SignatureValue", "X509Certificate")
        for node in signature.iter(f"{{{NAMESPACE}}}{name}")
    )
    return digest, value, certificate


def _decoded(node: etree._Element) -> bytes:
    """Undo base64 with or without line breaks, in its only spelling: nothing unsigned can be varied."""
    text = b"".join((node.text or "").encode().split())
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        decoded = b""
    if base64.b64encode(decoded) != text:
        raise BadSignature(f"O valor de {local_name(node)} na assinatura não é base64.")
    return decoded


def _canonical(element: etree._Element) -> bytes:
    """C14N 1.0 of an element in its place: with the namespaces and `xml:` attributes that it inherits.

    lxml is right about namespaces declared above only in its plain output, so that is parsed again first.
    """
    if next(element.iter(*_UNSEEN_BY_C14N), None) is not None:
        raise BadSignature("O grupo assinado tem comentários ou instruções de processamento.")
    if _TOO_MANY_ATTRIBUTES(element) or len(element.nsmap) > MAX_PREFIXES:
        raise BadSignature("O grupo assinado tem atributos ou namespaces demais.")
    plain = etree.tostring(element, encoding="utf-8", with_tail=False)
    if plain.count(b" xmlns:") > MAX_PREFIXES:
        raise BadSignature("O grupo assinado tem atributos ou namespaces demais.")
    try:
        return etree.tostring(_with_inherited(etree.fromstring(plain), element), method="c14n")
    except etree.LxmlError as error:
        raise BadSignature("O grupo assinado não pode ser canonizado.") from error


def _with_inherited(alone: etree._Element, element: etree._Element) -> etree._Element:
    """Add the attributes of the `xml` namespace that C14N 1.0 brings down from the ancestors."""
    for ancestor in element.iterancestors():
        for name, value in ancestor.items():
            if str(name).startswith(_XML_ATTRIBUTE) and name not in alone.attrib:
                alone.set(name, value)
    return alone


def _public_key(certificate_der: bytes) -> RSAPublicKey:
    try:
        key = x509.load_der_x509_certificate(certificate_der).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
        raise BadSignature("O certificado da assinatura é ilegível.") from error
    if not isinstance(key, RSAPublicKey) or key.key_size < MIN_VERIFIED_KEY_BITS:
        raise BadSignature(f"A chave do certificado não é RSA de {MIN_VERIFIED_KEY_BITS} bits ou mais.")
    return key


def _verify_rsa(key: RSAPublicKey, signature_value: bytes, content: bytes) -> None:
    try:
        key.verify(signature_value, content, PKCS1v15(), SHA1())  # noqa: S303 - MOC 7.0
    except InvalidSignature as error:
        raise BadSignature("A assinatura não é da chave do certificado.") from error


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content).digest()  # noqa: S324 - MOC 7.0


def _base64(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode()
