"""The authorities' rules for the QR code of a receipt issued offline (NT 2025.001, ZX02 and ZX03)."""

from collections.abc import Iterator

from carimbo.fiscal.documents.nfce.qr import Csc, InvalidQr, QrCode, QrRecipient, hex_digest, read_qr
from carimbo.fiscal.documents.nfce.signed_receipt import SignedReceipt
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.signature import VerifiedSignature
from carimbo.fiscal.tables.nfce_addresses import NfceAddresses

_SOURCE = "NT 2025.001"


def qr_problems(
    receipt: SignedReceipt,
    signature: VerifiedSignature | None,
    csc: Csc | None,
    addresses: tuple[NfceAddresses, ...],
) -> Iterator[Problem]:
    """Compare the QR code with the XML around it; what needs a signature, CSC or address waits for one."""
    if not receipt.qr_code:
        yield _problem("394", "Falta o QR Code (infNFeSupl).")
        return
    try:
        qr = read_qr(receipt.qr_code)
    except InvalidQr as refusal:
        yield _problem(refusal.code, str(refusal))
        return
    yield from _version(qr, receipt)
    yield from _parameters(qr, receipt)
    yield from _seal(qr, csc)
    if signature:
        yield from _signature(qr, signature)
    if addresses:
        yield from _addresses(qr, receipt, addresses)


def _version(qr: QrCode, receipt: SignedReceipt) -> Iterator[Problem]:
    if not qr.is_offline:
        yield _problem("396", "O QR Code não tem os parâmetros da contingência off-line.")
    if qr.version == "2" and receipt.issuer_cpf:
        yield _problem("444", "O QR Code da versão 2 não serve para emitente pessoa física.")


def _parameters(qr: QrCode, receipt: SignedReceipt) -> Iterator[Problem]:
    compared: list[tuple[str, object, object]] = [
        ("a chave de acesso", qr.access_key, receipt.key),
        ("o ambiente", qr.environment, receipt.environment),
    ]
    if qr.is_offline:
        compared.append(("o dia da emissão", qr.day, receipt.issued_at[8:10]))
        compared.append(("o valor total", _with_cents(qr.amount), _with_cents(receipt.amount)))
    if qr.is_offline and qr.version == "3":
        told = QrRecipient(qr.recipient_kind, qr.recipient)
        compared.append(("o destinatário", told, receipt.recipient))
    for what, in_qr, in_xml in compared:
        if in_qr != in_xml:
            yield _problem("397", f"No QR Code, {what} não é o que está no XML.")


def _with_cents(amount: str) -> str:
    # The XSD lets both write a whole amount without decimals.
    return amount if "." in amount else f"{amount}.00"


def _seal(qr: QrCode, csc: Csc | None) -> Iterator[Problem]:
    if qr.version == "3" and qr.is_offline and not qr.seal:
        yield _problem("474", "Falta a assinatura no QR Code da versão 3.")
    # A company may have two CSCs in force: of one that we don't know only the authority can judge.
    if qr.version == "2" and csc and csc.id == qr.csc_id and not qr.is_sealed_with(csc):
        yield _problem("464", "O hash do QR Code não confere com o CSC da empresa.")


def _signature(qr: QrCode, signature: VerifiedSignature) -> Iterator[Problem]:
    """What ties the QR code to the signed part: the digest in version 2, the certificate in version 3."""
    if not qr.is_offline:
        return
    if qr.version == "2" and qr.digest.lower() != hex_digest(signature.digest_value):
        yield _problem("397", "No QR Code, o digest não é o da assinatura do XML.")
    if qr.version == "3" and qr.seal and not qr.is_signed_by(signature.certificate_der):
        yield _problem("583", "A assinatura do QR Code não foi feita com o certificado que assina o XML.")


def _addresses(qr: QrCode, receipt: SignedReceipt, known: tuple[NfceAddresses, ...]) -> Iterator[Problem]:
    if _bare(qr.address) not in {_bare(addresses.qr) for addresses in known}:
        yield _problem("395", f"O endereço do QR Code não é o da UF: {quoted(qr.address)}.")
    if _bare(receipt.consult) not in {_bare(addresses.consult) for addresses in known}:
        yield _problem("878", f"O endereço de consulta (urlChave) não é o da UF: {quoted(receipt.consult)}.")


def _bare(address: str) -> str:
    # The lists of some states differ in nothing but the protocol or a last slash.
    return address.removeprefix("https://").removeprefix("http://").rstrip("/?")


def _problem(code: str, message: str) -> Problem:
    return Problem(code, "signedXml", message, source=_SOURCE)
