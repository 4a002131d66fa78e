"""Rules about the QR code (MOC CT-e, 850 to 855)."""

from collections.abc import Mapping
from urllib.parse import unquote

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.authorities import AUTHORIZERS, cte_qr_address
from carimbo.simulator.cte.judged import JudgedTransport
from carimbo.simulator.cte.rules.identification import OFFLINE
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.rules.documents import state_of
from carimbo.simulator.sefaz.rules.qr import is_signed_by, parameters_of


def has_qr(cte: JudgedTransport) -> bool:
    """Returns whether the document has a QR code."""
    return bool(_qr(cte))


def qr_missing(cte: JudgedTransport) -> bool:
    """MOC CT-e, 850."""
    return not has_qr(cte)


def wrong_address(cte: JudgedTransport) -> bool:
    """MOC CT-e, 851; case-insensitive."""
    serving = AUTHORIZERS.rows.get((cte.model, state_of(cte)))
    if serving is None:
        return False
    in_production = cte.text("ide/tpAmb") == PRODUCTION
    environment = Environment.PRODUCTION if in_production else Environment.HOMOLOGATION
    official = cte_qr_address(serving.state, environment)
    return _qr(cte).partition("?")[0].lower() != official.lower()


def key_of_another_document(cte: JudgedTransport) -> bool:
    """MOC CT-e, 852."""
    return _parameters(cte).get("chCTe") != cte.access_key


def signature_missing(cte: JudgedTransport) -> bool:
    """MOC CT-e, 853: documents that are used before they are authorized have a signature."""
    return cte.emission in OFFLINE and not _parameters(cte).get("sign")


def signature_out_of_place(cte: JudgedTransport) -> bool:
    """MOC CT-e, 854."""
    return cte.emission not in OFFLINE and "sign" in _parameters(cte)


def wrong_signature(cte: JudgedTransport) -> bool:
    """MOC CT-e, 855: of the key, by the certificate that signs the document."""
    text = _parameters(cte).get("sign")
    if not text or cte.emission not in OFFLINE or cte.signature is None:
        return False
    return not is_signed_by(cte.signature, cte.access_key, unquote(text))


def _parameters(cte: JudgedTransport) -> Mapping[str, str]:
    return parameters_of(_qr(cte))


def _qr(cte: JudgedTransport) -> str:
    return cte.supplement.text("qrCodCTe") if cte.supplement else ""


QR_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("850", qr_missing),
    RejectionRule("851", wrong_address, has_qr),
    RejectionRule("852", key_of_another_document, has_qr),
    RejectionRule("853", signature_missing, has_qr),
    RejectionRule("854", signature_out_of_place, has_qr),
    RejectionRule("855", wrong_signature, has_qr),
)
