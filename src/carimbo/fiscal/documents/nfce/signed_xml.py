"""Check an NFC-e that the point of sale signed offline, which then goes to the authority as it is.

The paper is in the consumer's hands: what is wrong can be told, but nothing can be changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from lxml import etree

from carimbo.fiscal.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.certificate import UnreadableCertificate, owner_of
from carimbo.fiscal.certificate_owner import OwnerKind
from carimbo.fiscal.documents.nfce.document import MODEL
from carimbo.fiscal.documents.nfce.qr import Csc
from carimbo.fiscal.documents.nfce.qr_rules import qr_problems
from carimbo.fiscal.documents.nfce.signed_receipt import SignedReceipt
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem, quoted
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import BadSignature, VerifiedSignature, verify
from carimbo.fiscal.tables.nfce_addresses import NfceAddresses
from carimbo.fiscal.taxpayer import cnpj_base, normalize
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml, root_alone

# The authorities take no longer message (MOC 7.0, rejection 214).
LONGEST_XML = 500_000

# A hostile document may break the XSD in tens of thousands of places; nobody reads further than this.
_MOST_SCHEMA_PROBLEMS = 50
_PATH = "signedXml"
_NOT_AN_NFE = "SIGNED_XML_NOT_NFE"
_NOT_OFFLINE = "SIGNED_XML_NOT_OFFLINE"
_DIFFERS = "SIGNED_XML_DIFFERS"


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of the receipt apart from its XML; what is None is not compared."""

    tax_id: str
    """CNPJ or CPF of the company that transmits."""
    environment: Environment
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    issued_at: datetime | None = None
    csc: Csc | None = None
    addresses: tuple[NfceAddresses, ...] = ()
    """Every form of the state's addresses that the authority may take; none: they are not compared."""


@dataclass(frozen=True, slots=True)
class CheckedXml:
    """A signed NFC-e in which nothing was found that the authority refuses."""

    xml: bytes
    """The very bytes that came in."""
    access_key: AccessKey
    issued_at: datetime
    digest_value: str

    @property
    def element(self) -> bytes:
        """The document for a lot: without byte order mark, XML declaration and white space around it."""
        return root_alone(self.xml)


def check_signed_xml(xml: bytes, expected: Expected, schemas: Schemas) -> CheckedXml | tuple[Problem, ...]:
    """Find everything that would make the authority refuse the document, or that contradicts the caller."""
    root = _invoice(xml)
    if isinstance(root, Problem):
        return (root,)
    receipt, signature = SignedReceipt.of(root), _verified(root)
    found = (
        *_form(root),
        *_schema(root, schemas),
        *_key(receipt),
        *_signature(receipt, signature),
        *_contingency(receipt, signature, expected),
        *_printed(receipt, expected),
    )
    if found or isinstance(signature, Problem) or receipt.moment is None:
        return found
    return CheckedXml(xml, AccessKey.parse(receipt.key), receipt.moment, signature.digest_value)


def _invoice(xml: bytes) -> etree._Element | Problem:
    try:
        root = read_xml(xml, limit=LONGEST_XML)
    except UnreadableXml as reason:
        return _problem("243", str(reason))
    if root.tag == f"{{{NAMESPACE}}}NFe":
        return root
    hint = "Envie só o elemento NFe, como o ponto de venda o assinou: sem nfeProc, lote ou envelope."
    tag = etree.QName(root)
    namespace = f"do namespace {quoted(tag.namespace)}" if tag.namespace else "sem namespace"
    found = f"O elemento raiz do XML é {quoted(tag.localname)} {namespace}"
    return _problem(_NOT_AN_NFE, f"{found}; o esperado é “NFe” do namespace “{NAMESPACE}”.", hint)


def _verified(root: etree._Element) -> VerifiedSignature | Problem:
    try:
        return verify(root)
    except BadSignature as reason:
        return _problem("297", str(reason))


def _form(root: etree._Element) -> Iterator[Problem]:
    """Rules about the text itself, which an XSD cannot express (MOC 7.0)."""
    if any(set(element.nsmap) - {None} for element in root.iter("*")):
        yield _problem("404", "O XML usa prefixos de namespace, que a NFC-e não aceita.")
    beside = root.getprevious() is not None or root.getnext() is not None
    if beside or any(_is_stray(node) for node in root.iter()):
        yield _problem("588", "O XML tem espaços, quebras de linha ou comentários entre os elementos.")


def _is_stray(node: etree._Element) -> bool:
    is_element = isinstance(node.tag, str)
    return not is_element or bool(node.tail) or bool(len(node) and node.text)


def _schema(root: etree._Element, schemas: Schemas) -> Iterator[Problem]:
    for problem in schemas.problems(Schema.NFE, root)[:_MOST_SCHEMA_PROBLEMS]:
        yield replace(problem, path=_PATH)


def _key(receipt: SignedReceipt) -> Iterator[Problem]:
    if receipt.model != MODEL:
        yield _problem("775", f"O modelo do documento é {quoted(receipt.model)}, e não {MODEL}.")
    if receipt.moment is None:
        told = quoted(receipt.issued_at)
        yield _problem(SCHEMA_PROBLEM, f"A data de emissão (dhEmi) não é válida: {told}.")
    if receipt.id != f"NFe{receipt.composed_key}":
        yield _problem("502", "O Id não corresponde à chave de acesso que os campos do XML compõem.")
    try:
        AccessKey.parse(receipt.key)
    except InvalidAccessKey as reason:
        yield _problem("253", str(reason))


def _signature(receipt: SignedReceipt, signature: VerifiedSignature | Problem) -> Iterator[Problem]:
    if isinstance(signature, Problem):
        yield signature
        return
    try:
        owner, kind = owner_of(signature.certificate_der)
    except UnreadableCertificate as reason:
        yield _problem("290", str(reason))
        return
    if owner is None:
        yield _problem("292", "O certificado da assinatura não tem CNPJ nem CPF.")
    elif not _is_issuers(owner, kind, receipt):
        yield _problem("213", "O certificado da assinatura não é da empresa que emitiu a NFC-e.")


def _is_issuers(owner: str, kind: OwnerKind, receipt: SignedReceipt) -> bool:
    if kind is OwnerKind.CPF:
        return owner == receipt.issuer_cpf
    return cnpj_base(owner) == cnpj_base(receipt.issuer_cnpj)


def _contingency(
    receipt: SignedReceipt, signature: VerifiedSignature | Problem, expected: Expected
) -> Iterator[Problem]:
    if receipt.emission_type != EmissionType.OFFLINE:
        told = quoted(receipt.emission_type)
        yield _problem(_NOT_OFFLINE, f"O tipo de emissão (tpEmis) é {told}, e não 9, contingência off-line.")
        return
    if not receipt.contingency_at or not receipt.contingency_reason:
        yield _problem("557", "Falta a data ou a justificativa da contingência (dhCont, xJust).")
    verified = None if isinstance(signature, Problem) else signature
    yield from qr_problems(receipt, verified, expected.csc, expected.addresses)


def _printed(receipt: SignedReceipt, expected: Expected) -> Iterator[Problem]:
    """What the caller says of the receipt must be what the XML says."""
    if expected.environment.code != receipt.environment:
        message = f"O XML assinado tem tpAmb {quoted(receipt.environment)}; o da empresa é"
        yield Problem("252", "company.environment", f"{message} {expected.environment.code}.")
    if normalize(expected.tax_id) != receipt.issuer:
        yield _difference("company.taxId", receipt.issuer)
    if expected.access_key is not None and normalize(expected.access_key) != receipt.key:
        yield _difference("accessKey", receipt.key)
    if expected.number is not None and str(expected.number) != receipt.number:
        yield _difference("number", receipt.number)
    if expected.series is not None and str(expected.series) != receipt.series:
        yield _difference("series", receipt.series)
    if expected.issued_at is not None and expected.issued_at.replace(microsecond=0) != receipt.moment:
        yield _difference("issuedAt", receipt.issued_at)


def _difference(path: str, in_xml: str) -> Problem:
    return Problem(_DIFFERS, path, f"O valor não é o do XML assinado, que tem {quoted(in_xml)}.")


def _problem(code: str, message: str, hint: str | None = None) -> Problem:
    return Problem(code, _PATH, message, hint)
