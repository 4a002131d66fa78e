"""Checks an NFC-e that the point of sale signed offline, before it is transmitted unchanged.

The consumer has the paper already: problems can be reported, but nothing can be changed."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from lxml import etree

from carimbo.fiscal.documents.nfce.document import MODEL
from carimbo.fiscal.documents.nfce.qr import Csc, InvalidQr, QrCode, QrRecipient, hex_digest, read_qr
from carimbo.fiscal.documents.nfce.signed_receipt import SignedReceipt
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.identity.certificate import OwnerKind, UnreadableCertificate, owner_of
from carimbo.fiscal.identity.signature import BadSignature, VerifiedSignature, verify
from carimbo.fiscal.identity.tax_ids import cnpj_base, normalize
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem, quoted
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.tables.authorities import NfceAddresses
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml, root_alone

MAX_XML_BYTES = 500_000
"""The longest message that the authorities accept, in bytes (MOC 7.0, rejection 214)."""

# A hostile document can break the XSD in tens of thousands of places: the first ones are enough.
_MAX_SCHEMA_PROBLEMS = 50
_PATH = "signedXml"
_NOT_AN_NFE = "SIGNED_XML_NOT_NFE"
_NOT_OFFLINE = "SIGNED_XML_NOT_OFFLINE"
_DIFFERS = "SIGNED_XML_DIFFERS"
_QR_SOURCE = "NT 2025.001"


@dataclass(frozen=True, slots=True)
class ExpectedReceipt:
    """Facts about the receipt that its XML must match; None is not compared."""

    tax_id: str
    """CNPJ or CPF of the company that transmits."""
    environment: Environment
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    issued_at: datetime | None = None
    csc: Csc | None = None
    addresses: tuple[NfceAddresses, ...] = ()
    """All forms of the state's addresses that the authority may accept; not compared if empty."""


@dataclass(frozen=True, slots=True)
class CheckedXml:
    """A signed NFC-e without any problem that the authority would refuse."""

    xml: bytes
    """The bytes of the caller, unchanged."""
    access_key: AccessKey
    issued_at: datetime
    digest_value: str

    @property
    def element(self) -> bytes:
        """The document for a lot: without byte order mark, XML declaration and white space around it."""
        return root_alone(self.xml)


def check_signed_xml(
    xml: bytes, expected: ExpectedReceipt, schemas: Schemas
) -> CheckedXml | tuple[Problem, ...]:
    """Returns the checked XML, or all that the authority would refuse or that contradicts the caller."""
    root = _invoice(xml)
    if isinstance(root, Problem):
        return (root,)
    receipt = SignedReceipt.of(root)
    try:
        signature: VerifiedSignature | Problem = verify(root)
    except BadSignature as reason:
        signature = _problem("297", str(reason))
    schema_problems = schemas.problems(Schema.NFE, root)[:_MAX_SCHEMA_PROBLEMS]
    problems = (
        *_form(root),
        *(replace(problem, path=_PATH) for problem in schema_problems),
        *_key(receipt),
        *_signature(receipt, signature),
        *_contingency(receipt, signature, expected),
        *_printed(receipt, expected),
    )
    if problems or isinstance(signature, Problem) or receipt.moment is None:
        return problems
    return CheckedXml(xml, AccessKey.parse(receipt.key), receipt.moment, signature.digest_value)


def _invoice(xml: bytes) -> etree._Element | Problem:
    try:
        root = read_xml(xml, limit=MAX_XML_BYTES)
    except UnreadableXml as reason:
        return _problem("243", str(reason))
    if root.tag == f"{{{NAMESPACE}}}NFe":
        return root
    hint = "Envie só o elemento NFe, como o ponto de venda o assinou: sem nfeProc, lote ou envelope."
    tag = etree.QName(root)
    namespace = f"do namespace {quoted(tag.namespace)}" if tag.namespace else "sem namespace"
    actual = f"O elemento raiz do XML é {quoted(tag.localname)} {namespace}"
    return _problem(_NOT_AN_NFE, f"{actual}; o esperado é “NFe” do namespace “{NAMESPACE}”.", hint)


def _form(root: etree._Element) -> Iterator[Problem]:
    """Checks rules about the text itself, which an XSD cannot express (MOC 7.0)."""
    if any(set(element.nsmap) - {None} for element in root.iter("*")):
        yield _problem("404", "O XML usa prefixos de namespace, que a NFC-e não aceita.")
    has_siblings = root.getprevious() is not None or root.getnext() is not None
    if has_siblings or any(_is_between_elements(node) for node in root.iter()):
        yield _problem("588", "O XML tem espaços, quebras de linha ou comentários entre os elementos.")


def _is_between_elements(node: etree._Element) -> bool:
    """Returns whether a node is a comment, or has text between elements."""
    is_element = isinstance(node.tag, str)
    return not is_element or bool(node.tail) or bool(len(node) and node.text)


def _key(receipt: SignedReceipt) -> Iterator[Problem]:
    if receipt.model != MODEL:
        yield _problem("775", f"O modelo do documento é {quoted(receipt.model)}, e não {MODEL}.")
    if receipt.moment is None:
        message = f"A data de emissão (dhEmi) não é válida: {quoted(receipt.issued_at)}."
        yield _problem(SCHEMA_PROBLEM, message)
    if receipt.id != f"NFe{receipt.composed_key}":
        yield _problem("502", "O Id não corresponde à chave de acesso que os campos do XML compõem.")
    try:
        AccessKey.parse(receipt.key)
    except InvalidAccessKey as reason:
        yield _problem("253", str(reason))


def _signature(receipt: SignedReceipt, signature: VerifiedSignature | Problem) -> Iterator[Problem]:
    """Checks that the certificate belongs to the issuer; of a company, any of its branches will do."""
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
        return
    if kind is OwnerKind.CPF:
        is_issuers = owner == receipt.issuer_cpf
    else:
        is_issuers = cnpj_base(owner) == cnpj_base(receipt.issuer_cnpj)
    if not is_issuers:
        yield _problem("213", "O certificado da assinatura não é da empresa que emitiu a NFC-e.")


def _contingency(
    receipt: SignedReceipt, signature: VerifiedSignature | Problem, expected: ExpectedReceipt
) -> Iterator[Problem]:
    if receipt.emission_type != EmissionType.OFFLINE:
        actual = quoted(receipt.emission_type)
        message = f"O tipo de emissão (tpEmis) é {actual}, e não 9, contingência off-line."
        yield _problem(_NOT_OFFLINE, message)
        return
    if not receipt.contingency_at or not receipt.contingency_reason:
        yield _problem("557", "Falta a data ou a justificativa da contingência (dhCont, xJust).")
    verified = None if isinstance(signature, Problem) else signature
    yield from qr_problems(receipt, verified, expected.csc, expected.addresses)


def _printed(receipt: SignedReceipt, expected: ExpectedReceipt) -> Iterator[Problem]:
    """Checks that the fields of the request are those of the XML."""
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


def qr_problems(
    receipt: SignedReceipt,
    signature: VerifiedSignature | None,
    csc: Csc | None,
    addresses: tuple[NfceAddresses, ...],
) -> Iterator[Problem]:
    """Compares the QR code with its XML; checks that lack a signature, CSC or addresses are left out."""
    if not receipt.qr_code:
        yield _qr_problem("394", "Falta o QR Code (infNFeSupl).")
        return
    try:
        qr = read_qr(receipt.qr_code)
    except InvalidQr as refusal:
        yield _qr_problem(refusal.code, str(refusal))
        return
    if not qr.is_offline:
        yield _qr_problem("396", "O QR Code não tem os parâmetros da contingência off-line.")
    if qr.version == "2" and receipt.issuer_cpf:
        yield _qr_problem("444", "O QR Code da versão 2 não serve para emitente pessoa física.")
    yield from _qr_parameters(qr, receipt)
    yield from _qr_seal(qr, csc)
    if signature:
        yield from _qr_signature(qr, signature)
    if addresses:
        yield from _qr_addresses(qr, receipt, addresses)


def _qr_parameters(qr: QrCode, receipt: SignedReceipt) -> Iterator[Problem]:
    compared: list[tuple[str, object, object]] = [
        ("a chave de acesso", qr.access_key, receipt.key),
        ("o ambiente", qr.environment, receipt.environment),
    ]
    if qr.is_offline:
        compared.append(("o dia da emissão", qr.day, receipt.issued_at[8:10]))
        compared.append(("o valor total", _with_cents(qr.amount), _with_cents(receipt.amount)))
    if qr.is_offline and qr.version == "3":
        recipient = QrRecipient(qr.recipient_kind, qr.recipient)
        compared.append(("o destinatário", recipient, receipt.recipient))
    for label, in_qr, in_xml in compared:
        if in_qr != in_xml:
            yield _qr_problem("397", f"No QR Code, {label} não é o que está no XML.")


def _with_cents(amount: str) -> str:
    # The XSD allows whole amounts without decimals in both.
    return amount if "." in amount else f"{amount}.00"


def _qr_seal(qr: QrCode, csc: Csc | None) -> Iterator[Problem]:
    if qr.version == "3" and qr.is_offline and not qr.seal:
        yield _qr_problem("474", "Falta a assinatura no QR Code da versão 3.")
    # A company can have two valid CSCs: only the authority can check one that is not in our settings.
    if qr.version == "2" and csc and csc.id == qr.csc_id and not qr.is_sealed_with(csc):
        yield _qr_problem("464", "O hash do QR Code não confere com o CSC da empresa.")


def _qr_signature(qr: QrCode, signature: VerifiedSignature) -> Iterator[Problem]:
    """Checks that QR code and XML belong together: by digest in version 2, by certificate in version 3."""
    if not qr.is_offline:
        return
    if qr.version == "2" and qr.digest.lower() != hex_digest(signature.digest_value):
        yield _qr_problem("397", "No QR Code, o digest não é o da assinatura do XML.")
    if qr.version == "3" and qr.seal and not qr.is_signed_by(signature.certificate_der):
        yield _qr_problem("583", "A assinatura do QR Code não foi feita com o certificado que assina o XML.")


def _qr_addresses(
    qr: QrCode, receipt: SignedReceipt, accepted: tuple[NfceAddresses, ...]
) -> Iterator[Problem]:
    if _bare(qr.address) not in {_bare(addresses.qr) for addresses in accepted}:
        yield _qr_problem("395", f"O endereço do QR Code não é o da UF: {quoted(qr.address)}.")
    if _bare(receipt.consult) not in {_bare(addresses.consult) for addresses in accepted}:
        message = f"O endereço de consulta (urlChave) não é o da UF: {quoted(receipt.consult)}."
        yield _qr_problem("878", message)


def _bare(address: str) -> str:
    # Some states publish addresses that differ only in the protocol or a final slash.
    return address.removeprefix("https://").removeprefix("http://").rstrip("/?")


def _qr_problem(code: str, message: str) -> Problem:
    return Problem(code, _PATH, message, source=_QR_SOURCE)
