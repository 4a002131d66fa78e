"""`infNFeSupl` of an NFC-e: its QR code and the address where anyone can look the key up."""

from carimbo.fiscal.documents.nfce import qr
from carimbo.fiscal.documents.nfce.settings import QR_WITHOUT_CSC, NfceSettings
from carimbo.fiscal.emission import Emission, EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signature import Signature, Signer
from carimbo.fiscal.tables.nfce_addresses import NfceAddresses, nfce_addresses


def supplement_of(
    invoice: Invoice, emission: Emission, settings: NfceSettings, signature: Signature, signer: Signer
) -> bytes | tuple[Problem, ...]:
    """Write the supplement, or tell what the company's settings lack for it."""
    addresses = nfce_addresses(invoice.issuer.address.state, emission.environment)
    if addresses is None:
        return (Problem("395", "company.address.state", "Não há endereço de consulta de NFC-e para a UF."),)
    csc = csc_of(settings, emission.environment)
    if csc is None and settings.qr_version != QR_WITHOUT_CSC:
        return (
            Problem(
                "462",
                "company.settings.nfce.csc",
                "O QR Code da versão 2 exige o CSC deste ambiente.",
                "Informe cscId e csc nas configurações da NFC-e, ou use qrVersion 3.",
            ),
        )
    qr_code = _qr_code(invoice, emission, addresses, csc, signature, signer)
    return qr.supplement(qr_code, addresses.consult).encode()


def csc_of(settings: NfceSettings, environment: Environment) -> qr.Csc | None:
    """The security code of an environment; each has its own. Version 3 of the QR code uses none."""
    own = settings if environment is Environment.PRODUCTION else settings.homologation
    if settings.qr_version == QR_WITHOUT_CSC or own is None or not own.csc_id or not own.csc:
        return None
    return qr.Csc(own.csc_id, own.csc)


def _qr_code(
    invoice: Invoice,
    emission: Emission,
    addresses: NfceAddresses,
    csc: qr.Csc | None,
    signature: Signature,
    signer: Signer,
) -> str:
    key = invoice.id.removeprefix("NFe")
    if emission.type is not EmissionType.OFFLINE:
        if csc is None:
            return qr.online_v3(addresses.qr, key, emission.environment)
        return qr.online_v2(addresses.qr, key, emission.environment, csc)
    receipt = qr.OfflineReceipt(
        key, emission.environment, emission.issued_at, invoice.totals.invoice.amount, _buyer(invoice)
    )
    if csc is None:
        return qr.offline_v3(addresses.qr, receipt, signer)
    return qr.offline_v2(addresses.qr, receipt, signature.digest_value, csc)


def _buyer(invoice: Invoice) -> qr.QrRecipient:
    buyer = invoice.recipient
    if buyer is None:
        return qr.QrRecipient()
    return qr.QrRecipient.of(cnpj=buyer.cnpj, cpf=buyer.cpf, foreign=buyer.foreign_id)
