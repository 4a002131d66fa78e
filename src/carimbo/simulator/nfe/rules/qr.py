"""The QR code of receipts, versions 2 and 3 (NT 2016.002, NT 2025.001, NT 2026.002).

The XSD lets four forms of these versions through, so parameters that are missing or misspelt never come here
(396, 398 and 400), nor does a signature where there should be none, or none where it should be (445 and 474).
"""

import hashlib
from base64 import b64decode
from collections.abc import Sequence
from decimal import Decimal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.nfce_addresses import NfceAddresses, known_nfce_addresses
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.nfe.rules.facts import seller_state, taxpayer
from carimbo.simulator.nfe.rules.scope import document_rule, in_nfe, in_receipts
from carimbo.simulator.place import PRODUCTION
from carimbo.simulator.rule import Finding, Rule
from carimbo.simulator.security_codes import SecurityCodes

_QUERY = "?p="
_BAR = "|"
_NFF_EMISSION, _OFFLINE = "3", "9"
_V2, _V3 = "2", "3"
_ONLINE_LENGTH = 5
"""Of version 2; offline, both versions tell more."""
_COMPANY, _PERSON, _FOREIGNER = "123"


def has_qr(case: Case) -> bool:
    """Documents with a QR code."""
    return case.supplement is not None


def has_qr_in_nfe(case: Case) -> bool:
    """Model 55 with a QR code."""
    return in_nfe(case) and has_qr(case)


def qr_missing(case: Case) -> bool:
    """NT 2026.002, ZX02-10."""
    return not _qr(case) and case.text("ide/tpEmis") != _NFF_EMISSION


def first_version(case: Case) -> bool:
    """MOC 7.0, ZX02-15: version 100 ended in 2018."""
    return bool(_qr(case)) and _QUERY not in _qr(case)


def wrong_address(case: Case) -> bool:
    """NT 2026.002, ZX02-20; capitals don't matter."""
    told, known = _qr(case).partition(_QUERY)[0].lower(), _addresses(case)
    return bool(_parameters(case) and known) and all(told != one.qr.lower() for one in known)


def wrong_consult_address(case: Case) -> bool:
    """MOC 7.0, ZX03-20; nor does it matter here whether the protocol is told."""
    told, known = case.supplement.text("urlChave") if case.supplement else "", _addresses(case)
    return bool(told and known) and all(_plain(told) != _plain(one.consult) for one in known)


def _addresses(case: Case) -> Sequence[NfceAddresses]:
    in_production = case.text("ide/tpAmb") == PRODUCTION
    environment = Environment.PRODUCTION if in_production else Environment.HOMOLOGATION
    return known_nfce_addresses(seller_state(case), environment)


def _plain(address: str) -> str:
    return address.lower().removeprefix("https://").removeprefix("http://").rstrip("/")


def other_than_version_3(case: Case) -> bool:
    """NT 2026.002, ZX02-220."""
    return _version(case) not in ("", _V3)


def version_2_of_a_person(case: Case) -> bool:
    """NT 2025.001, ZX02-222."""
    return _version(case) == _V2 and not case.text("emit/CNPJ")


def unlike_the_document(case: Case) -> Finding:
    """NT 2026.002, ZX02-228 to ZX02-276 and ZX02-328; MOC 7.0, ZX02-296."""
    for name, found, right in zip(_NAMES, _parameters(case), _right_parameters(case), strict=False):
        if right is not None and found.lower() != right.lower() and not _are_equal_amounts(found, right):
            return f"[Param:{name}]"
    return None


_NAMES = ("chNFe", "nVersao", "tpAmb", "diaEmi", "vNF", "6", "7")


def _right_parameters(case: Case) -> Sequence[str | None]:
    """What the document says in the order of the code; None of what it does not know."""
    online = (case.access_key, None, case.text("ide/tpAmb"))
    if case.text("ide/tpEmis") != _OFFLINE:
        return online
    day, amount = f"{case.issued_at:%d}", case.text("total/ICMSTot/vNF")
    if _version(case) == _V3:
        return (*online, day, amount, *_recipient(case))
    digest = case.signature.digest if case.signature else ""
    return (*online, day, amount, digest.encode().hex())


def _recipient(case: Case) -> tuple[str, str]:
    """Kind and tax id of the buyer; that of a foreigner stays out of the code."""
    if case.text("dest/idEstrangeiro"):
        return _FOREIGNER, ""
    buyer = taxpayer(case, "dest")
    kind = _COMPANY if case.text("dest/CNPJ") else _PERSON
    return (kind, buyer) if buyer else ("", "")


def _are_equal_amounts(found: str, right: str) -> bool:
    is_amount = "." in right and found.replace(".", "", 1).isdecimal()
    return is_amount and Decimal(found) == Decimal(right)


def security_code_unknown(case: Case) -> bool:
    """MOC 7.0, ZX02-304."""
    return _version(case) == _V2 and _token(case) is None


def wrong_hash(case: Case) -> bool:
    """MOC 7.0, ZX02-320: SHA-1 of what stands before it, followed by the token."""
    token = _token(case) if _version(case) == _V2 else None
    if token is None:
        return False
    *first, told = _parameters(case)
    hashed = hashlib.sha1(f"{_BAR.join(first)}{token}".encode(), usedforsecurity=False)
    return told.lower() != hashed.hexdigest()


def _token(case: Case) -> str | None:
    *_, identifier, _ = _parameters(case)
    if not identifier.isdecimal():
        return None
    return SecurityCodes(case.world.store).token(taxpayer(case, "emit"), int(identifier))


def wrong_signature(case: Case) -> bool:
    """NT 2025.001, ZX02-338: by the certificate that signs the document, of what stands before it."""
    *first, told = _parameters(case) or ("",)
    if _version(case) != _V3 or len(first) < _ONLINE_LENGTH or case.signature is None:
        return False
    credential = case.signature.credential
    key = credential.certificate.public_key() if credential else None
    if not isinstance(key, RSAPublicKey):
        return True
    try:
        key.verify(b64decode(told), _BAR.join(first).encode(), PKCS1v15(), SHA1())  # noqa: S303
    except (InvalidSignature, ValueError):
        return True
    return False


def _version(case: Case) -> str:
    told = _parameters(case)
    return told[1] if len(told) > 1 else ""


def _parameters(case: Case) -> Sequence[str]:
    """What stands after `?p=`; nothing in version 100."""
    _, separator, query = _qr(case).partition(_QUERY)
    return query.split(_BAR) if separator else ()


def _qr(case: Case) -> str:
    return case.supplement.text("qrCode") if case.supplement else ""


QR_RULES: tuple[Rule[Case], ...] = (
    document_rule("394", qr_missing, in_receipts),
    document_rule("903", first_version, has_qr),
    document_rule("395", wrong_address, has_qr),
    document_rule("672", other_than_version_3, has_qr_in_nfe),
    document_rule("444", version_2_of_a_person, has_qr),
    document_rule("397", unlike_the_document, has_qr),
    document_rule("462", security_code_unknown, has_qr),
    document_rule("464", wrong_hash, has_qr),
    document_rule("583", wrong_signature, has_qr),
    document_rule("878", wrong_consult_address, has_qr),
)
