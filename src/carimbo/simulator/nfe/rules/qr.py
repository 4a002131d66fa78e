"""Rules about the QR code of receipts, versions 2 and 3 (NT 2016.002, NT 2025.001, NT 2026.002).

The XSD accepts four forms of these versions, so missing or malformed parameters (396, 398 and 400) and
missing or superfluous signatures (445 and 474) do not get here.
"""

import hashlib
from collections.abc import Sequence
from decimal import Decimal

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import NfceAddresses, all_nfce_addresses
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.facts import document_rule, in_nfe, in_receipts, seller_state, taxpayer
from carimbo.simulator.registers import SecurityCodes
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.rules.qr import is_signed_by

_QUERY = "?p="
_BAR = "|"
_NFF_EMISSION, _OFFLINE = "3", "9"
_V2, _V3 = "2", "3"
_ONLINE_LENGTH = 5
"""Of version 2; both versions have more parameters offline."""
_COMPANY, _PERSON, _FOREIGNER = "123"
_NAMES = ("chNFe", "nVersao", "tpAmb", "diaEmi", "vNF", "6", "7")


def has_qr(invoice: JudgedInvoice) -> bool:
    """Returns whether the document has a QR code."""
    return invoice.supplement is not None


def has_qr_in_nfe(invoice: JudgedInvoice) -> bool:
    """Returns whether it is model 55 with a QR code."""
    return in_nfe(invoice) and has_qr(invoice)


def qr_missing(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, ZX02-10."""
    return not _qr(invoice) and invoice.text("ide/tpEmis") != _NFF_EMISSION


def first_version(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZX02-15: version 100 ended in 2018."""
    return bool(_qr(invoice)) and _QUERY not in _qr(invoice)


def wrong_address(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, ZX02-20; case-insensitive."""
    address = _qr(invoice).partition(_QUERY)[0].lower()
    official = [addresses.qr.lower() for addresses in _addresses(invoice)]
    return bool(_parameters(invoice) and official) and address not in official


def wrong_consult_address(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZX03-20; with or without the scheme, and case-insensitive."""
    address = invoice.supplement.text("urlChave") if invoice.supplement else ""
    official = [_normalized(addresses.consult) for addresses in _addresses(invoice)]
    return bool(address and official) and _normalized(address) not in official


def _addresses(invoice: JudgedInvoice) -> Sequence[NfceAddresses]:
    in_production = invoice.text("ide/tpAmb") == PRODUCTION
    environment = Environment.PRODUCTION if in_production else Environment.HOMOLOGATION
    return all_nfce_addresses(seller_state(invoice), environment)


def _normalized(address: str) -> str:
    return address.lower().removeprefix("https://").removeprefix("http://").rstrip("/")


def other_than_version_3(invoice: JudgedInvoice) -> bool:
    """NT 2026.002, ZX02-220."""
    return _version(invoice) not in ("", _V3)


def version_2_of_a_person(invoice: JudgedInvoice) -> bool:
    """NT 2025.001, ZX02-222."""
    return _version(invoice) == _V2 and not invoice.text("emit/CNPJ")


def parameters_differ_from_document(invoice: JudgedInvoice) -> Finding:
    """NT 2026.002, ZX02-228 to ZX02-276 and ZX02-328; MOC 7.0, ZX02-296."""
    parameters = zip(_NAMES, _parameters(invoice), _expected_parameters(invoice), strict=False)
    for name, value, expected in parameters:
        if expected is None or value.lower() == expected.lower():
            continue
        if not _are_equal_amounts(value, expected):
            return f"[Param:{name}]"
    return None


def _expected_parameters(invoice: JudgedInvoice) -> Sequence[str | None]:
    """The parameters that the document requires; None for those that it does not determine."""
    online = (invoice.access_key, None, invoice.text("ide/tpAmb"))
    if invoice.text("ide/tpEmis") != _OFFLINE:
        return online
    day, amount = f"{invoice.issued_at:%d}", invoice.text("total/ICMSTot/vNF")
    if _version(invoice) == _V3:
        return (*online, day, amount, *_recipient(invoice))
    digest = invoice.signature.digest if invoice.signature else ""
    return (*online, day, amount, digest.encode().hex())


def _recipient(invoice: JudgedInvoice) -> tuple[str, str]:
    """Type and tax id of the buyer; the id of a foreigner is left out."""
    if invoice.text("dest/idEstrangeiro"):
        return _FOREIGNER, ""
    buyer = taxpayer(invoice, "dest")
    kind = _COMPANY if invoice.text("dest/CNPJ") else _PERSON
    return (kind, buyer) if buyer else ("", "")


def _are_equal_amounts(value: str, expected: str) -> bool:
    is_amount = "." in expected and value.replace(".", "", 1).isdecimal()
    return is_amount and Decimal(value) == Decimal(expected)


def security_code_unknown(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZX02-304."""
    return _version(invoice) == _V2 and _token(invoice) is None


def wrong_hash(invoice: JudgedInvoice) -> bool:
    """MOC 7.0, ZX02-320: SHA-1 of the text before it, followed by the token."""
    token = _token(invoice) if _version(invoice) == _V2 else None
    if token is None:
        return False
    *first, hash_value = _parameters(invoice)
    hashed = hashlib.sha1(f"{_BAR.join(first)}{token}".encode(), usedforsecurity=False)
    return hash_value.lower() != hashed.hexdigest()


def _token(invoice: JudgedInvoice) -> str | None:
    *_, identifier, _ = _parameters(invoice)
    if not identifier.isdecimal():
        return None
    return SecurityCodes(invoice.context.store).token(taxpayer(invoice, "emit"), int(identifier))


def wrong_signature(invoice: JudgedInvoice) -> bool:
    """NT 2025.001, ZX02-338: of the text before it, by the certificate that signs the document."""
    *first, signature = _parameters(invoice) or ("",)
    if _version(invoice) != _V3 or len(first) < _ONLINE_LENGTH or invoice.signature is None:
        return False
    return not is_signed_by(invoice.signature, _BAR.join(first), signature)


def _version(invoice: JudgedInvoice) -> str:
    parameters = _parameters(invoice)
    return parameters[1] if len(parameters) > 1 else ""


def _parameters(invoice: JudgedInvoice) -> Sequence[str]:
    """The parameters after `?p=`; none in version 100."""
    _, separator, query = _qr(invoice).partition(_QUERY)
    return query.split(_BAR) if separator else ()


def _qr(invoice: JudgedInvoice) -> str:
    return invoice.supplement.text("qrCode") if invoice.supplement else ""


QR_RULES: tuple[RejectionRule[JudgedInvoice], ...] = (
    document_rule("394", qr_missing, in_receipts),
    document_rule("903", first_version, has_qr),
    document_rule("395", wrong_address, has_qr),
    document_rule("672", other_than_version_3, has_qr_in_nfe),
    document_rule("444", version_2_of_a_person, has_qr),
    document_rule("397", parameters_differ_from_document, has_qr),
    document_rule("462", security_code_unknown, has_qr),
    document_rule("464", wrong_hash, has_qr),
    document_rule("583", wrong_signature, has_qr),
    document_rule("878", wrong_consult_address, has_qr),
)
