"""The XML signature of Brazilian fiscal documents: written as text, verified on the parsed tree.

All documents have the same profile (MOC 7.0): enveloped XMLDSig, C14N 1.0 inclusive, RSA-SHA1, a reference
to one `Id`, and only the certificate of the signer. The authorities require SHA-1.
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

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import local_name

NAMESPACE = "http://www.w3.org/2000/09/xmldsig#"
# Documents that are years old may have keys of this size; certificates of today have twice as many bits.
MIN_VERIFIED_KEY_BITS = 1024
# libxml2 needs quadratic time in the number of attributes and namespaces to canonicalize an element: 2,000
# elements under 2,000 namespaces (45 kB) take a minute. Layouts have one namespace and few attributes.
MAX_PREFIXES = 16
MAX_ATTRIBUTES = 16

_C14N = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_XML_ATTRIBUTE = "{http://www.w3.org/XML/1998/namespace}"
_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_COUNT_OF_ID = etree.XPath("count(//@*[translate(local-name(), 'ID', 'id') = 'id'][. = $id])")
_TOO_MANY_ATTRIBUTES = etree.XPath(f"boolean(descendant-or-self::*/@*[{MAX_ATTRIBUTES + 1}])")
_NOT_IN_C14N = (etree.Comment, etree.ProcessingInstruction, etree.Entity)

# In base64, as documents have them, these bytes read SEMVALOR ("without value").
_WORTHLESS_SIGNATURE = base64.b64decode("SEMVALOR" * 43)[:256]
_WORTHLESS_CERTIFICATE = base64.b64decode("SEMVALOR" * 334)


class BadSignature(ValueError):
    """The document is not signed as required, or was changed after signing; the message is Portuguese."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature, to be inserted before the end of the document's root."""

    text: bytes
    """The `Signature` element in canonical form."""
    digest_value: str
    """The authority repeats it as `digVal`; the QR code of an offline NFC-e contains it."""


class SigningKey(Protocol):
    """The part of an RSA key that a signer needs."""

    def sign(self, data: bytes, padding: PKCS1v15, algorithm: SHA1, /) -> bytes:
        """Returns the signature of data."""


class _NoKey:
    """A placeholder for a key; its signatures are worthless."""

    def sign(self, _data: bytes, _padding: PKCS1v15, _algorithm: SHA1, /) -> bytes:
        return _WORTHLESS_SIGNATURE


@dataclass(frozen=True, slots=True)
class Signer:
    """A certificate's key, with the constant part of its signatures."""

    private_key: SigningKey = field(repr=False)
    key_info: str = field(repr=False)

    @classmethod
    def of(cls, certificate: A1Certificate) -> Self:
        """Returns the signer of a certificate, which may sign any number of documents."""
        return cls(certificate.private_key, _key_info(_base64(certificate.certificate_der)))

    @classmethod
    def throwaway(cls) -> Self:
        """Returns a signer without a key, for trials: its signatures have the form and length of real ones.

        They can't be mistaken for real ones: value and certificate repeat SEMVALOR, and no program can parse
        such a certificate.
        """
        return cls(_NoKey(), _key_info(_base64(_WORTHLESS_CERTIFICATE)))

    def sign(self, canonical: bytes, reference_id: str) -> Signature:
        """Signs an element with the given `Id`, in canonical form (C14N) with its namespace declared."""
        digest_value = _base64(_sha1(canonical))
        signed_info = _signed_info(reference_id, digest_value)
        # In canonical form, SignedInfo repeats the namespace that Signature declares.
        in_place = signed_info.replace("<SignedInfo>", f'<SignedInfo xmlns="{NAMESPACE}">', 1)
        written = _signature(signed_info, self.sign_text(in_place), self.key_info)
        return Signature(written.encode(), digest_value)

    def sign_text(self, text: str) -> str:
        """Returns the RSA-SHA1 signature of a text in base64; version 3 of the NFC-e QR code needs it too."""
        return _base64(self.private_key.sign(text.encode(), PKCS1v15(), SHA1()))  # noqa: S303 - MOC 7.0


@dataclass(frozen=True, slots=True)
class VerifiedSignature:
    """The contents of a valid signature."""

    certificate_der: bytes = field(repr=False)
    reference_id: str
    signed_tag: str
    """Local name of the signed element; its namespace is that of the root."""
    digest_value: str


def verify(root: etree._Element) -> VerifiedSignature:
    """Checks that the Signature in the last child of a document signs its first child.

    Does not check chain, validity and owner of the certificate: the caller does. `root` comes from `read_xml`
    and is canonicalized in its context, with the namespaces of the elements around it. Raises `BadSignature`.
    """
    signed, signature = signed_and_signature(root)
    reference_id = reference_id_of(signed)
    _refuse_other_profile(signature, reference_id)
    digest, signature_value, certificate_der = _values(signature)
    if _sha1(canonical(signed)) != digest:
        raise BadSignature("O conteúdo do documento não é o que foi assinado.")
    key = public_key_of(certificate_der)
    try:
        key.verify(signature_value, canonical(signature[0]), PKCS1v15(), SHA1())  # noqa: S303 - MOC 7.0
    except InvalidSignature as error:
        raise BadSignature("A assinatura não é da chave do certificado.") from error
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


def signed_and_signature(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    """Returns the two parts of a document; only the supplement with the QR code is allowed between them.

    Raises `BadSignature`.
    """
    children = list(root)
    if len(children) <= 1 or children[-1].tag != f"{{{NAMESPACE}}}Signature":
        raise BadSignature("O documento não termina com uma assinatura.")
    if any(node.tag in _NOT_IN_C14N for node in children):
        raise BadSignature("O documento tem comentários ou instruções de processamento.")
    signed, *between, signature = children
    if etree.QName(signed).namespace != etree.QName(root).namespace:
        raise BadSignature("O documento não começa com o grupo assinado.")
    if [local_name(node).lower() for node in between] not in ([], [f"{local_name(signed).lower()}supl"]):
        raise BadSignature("O documento tem grupos a mais ao lado do que foi assinado.")
    return signed, signature


def reference_id_of(signed: etree._Element) -> str:
    """Returns the Id of the signed element, which must be unique: the reference can mean nothing else.

    Raises `BadSignature`.
    """
    identifier = signed.get("Id", "")
    if not _ID.fullmatch(identifier):
        raise BadSignature("O grupo assinado não tem um Id válido.")
    if _COUNT_OF_ID(signed, id=identifier) != 1:
        raise BadSignature("O Id do grupo assinado se repete no documento.")
    return identifier


def _refuse_other_profile(signature: etree._Element, reference_id: str) -> None:
    """Refuses a signature that differs from ours in anything but the three values."""
    written = etree.fromstring(_signature(_signed_info(reference_id, "x"), "x", _key_info("x")))
    for node, theirs, ours in zip(signature.iter(), _shape(signature), _shape(written), strict=False):
        if theirs != ours:
            place = "comentário" if node.tag in _NOT_IN_C14N else quoted(local_name(node))
            raise BadSignature(f"A assinatura foge do padrão dos documentos fiscais em {place}.")


def _shape(element: etree._Element) -> Iterator[tuple[object, ...]]:
    """Yields tag, attributes, number of children and presence of text of each element, in document order."""
    for node in element.iter():
        text = "".join([node.text or "", *(child.tail or "" for child in node)])
        yield node.tag, node.prefix, sorted(node.items()), len(node), bool(text.strip())


def _values(signature: etree._Element) -> tuple[bytes, bytes, bytes]:
    digest, value, certificate = (
        decoded(node)
        for name in ("DigestValue", "SignatureValue", "X509Certificate")
        for node in signature.iter(f"{{{NAMESPACE}}}{name}")
    )
    return digest, value, certificate


def decoded(node: etree._Element) -> bytes:
    """Decodes base64, with or without line breaks; refuses other spellings of the same bytes.

    Raises `BadSignature`.
    """
    text = b"".join((node.text or "").encode().split())
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        decoded = b""
    if base64.b64encode(decoded) != text:
        raise BadSignature(f"O valor de {local_name(node)} na assinatura não é base64.")
    return decoded


def canonical(element: etree._Element, *, is_exclusive: bool = False) -> bytes:
    """Returns C14N 1.0 of an element in its context, with the namespaces and `xml:` attributes it inherits.

    The exclusive form has only the namespaces that the element uses. Raises `BadSignature`.
    """
    plain = _plain(element)
    try:
        alone = etree.fromstring(plain)
        if not is_exclusive:
            _take_over_xml_attributes(element, alone)
        return etree.tostring(alone, method="c14n", exclusive=is_exclusive)
    except etree.LxmlError as error:
        raise BadSignature("O grupo assinado não pode ser canonizado.") from error


def _plain(element: etree._Element) -> bytes:
    """Returns an element as lxml writes it: only there namespaces of the ancestors are handled correctly."""
    if next(element.iter(*_NOT_IN_C14N), None) is not None:
        raise BadSignature("O grupo assinado tem comentários ou instruções de processamento.")
    if _TOO_MANY_ATTRIBUTES(element) or len(element.nsmap) > MAX_PREFIXES:
        raise BadSignature("O grupo assinado tem atributos ou namespaces demais.")
    plain = etree.tostring(element, encoding="utf-8", with_tail=False)
    if plain.count(b" xmlns:") > MAX_PREFIXES:
        raise BadSignature("O grupo assinado tem atributos ou namespaces demais.")
    return plain


def _take_over_xml_attributes(element: etree._Element, alone: etree._Element) -> None:
    """Gives a copy of an element the `xml:` attributes of the element's ancestors, as C14N 1.0 does."""
    for ancestor in element.iterancestors():
        for name, value in ancestor.items():
            if str(name).startswith(_XML_ATTRIBUTE) and name not in alone.attrib:
                alone.set(name, value)


def public_key_of(certificate_der: bytes) -> RSAPublicKey:
    """Returns the key of a certificate; raises `BadSignature`."""
    try:
        key = x509.load_der_x509_certificate(certificate_der).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
        raise BadSignature("O certificado da assinatura é ilegível.") from error
    if not isinstance(key, RSAPublicKey) or key.key_size < MIN_VERIFIED_KEY_BITS:
        raise BadSignature(f"A chave do certificado não é RSA de {MIN_VERIFIED_KEY_BITS} bits ou mais.")
    return key


def _sha1(content: bytes) -> bytes:
    return hashlib.sha1(content).digest()  # noqa: S324 - MOC 7.0


def _base64(content: bytes) -> str:
    return binascii.b2a_base64(content, newline=False).decode()
