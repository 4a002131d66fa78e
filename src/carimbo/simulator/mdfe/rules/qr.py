"""Rules about the QR code of an MDF-e (MOC MDF-e, 479 to 496)."""

from carimbo.simulator.mdfe.judged import JudgedMdfe
from carimbo.simulator.rules import RejectionRule
from carimbo.simulator.sefaz.rules.qr import is_signed_by, parameters_of

ADDRESS = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
"""For every state and both environments."""
_CONTINGENCY = "2"
"""`tpEmis`."""


def has_qr(mdfe: JudgedMdfe) -> bool:
    """Returns whether the document has a QR code."""
    return bool(_qr(mdfe))


def qr_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 480."""
    return not has_qr(mdfe)


def wrong_address(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 479; case-insensitive."""
    return _qr(mdfe).partition("?")[0].lower() != ADDRESS.lower()


def key_of_another_document(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 481."""
    return parameters_of(_qr(mdfe)).get("chMDFe") != mdfe.access_key


def signature_missing(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 482: documents that are used before they are authorized have a signature."""
    return mdfe.emission == _CONTINGENCY and not _signature(mdfe)


def signature_out_of_place(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 488."""
    return mdfe.emission != _CONTINGENCY and "sign" in parameters_of(_qr(mdfe))


def wrong_signature(mdfe: JudgedMdfe) -> bool:
    """MOC MDF-e, 496: of the key, by the certificate that signs the document."""
    if mdfe.emission != _CONTINGENCY or not _signature(mdfe) or mdfe.signature is None:
        return False
    return not is_signed_by(mdfe.signature, mdfe.access_key, _signature(mdfe))


def _signature(mdfe: JudgedMdfe) -> str:
    return parameters_of(_qr(mdfe)).get("sign", "")


def _qr(mdfe: JudgedMdfe) -> str:
    return mdfe.supplement.text("qrCodMDFe") if mdfe.supplement else ""


QR_RULES: tuple[RejectionRule[JudgedMdfe], ...] = (
    RejectionRule("480", qr_missing),
    RejectionRule("479", wrong_address, has_qr),
    RejectionRule("481", key_of_another_document, has_qr),
    RejectionRule("482", signature_missing, has_qr),
    RejectionRule("488", signature_out_of_place, has_qr),
    RejectionRule("496", wrong_signature, has_qr),
)
