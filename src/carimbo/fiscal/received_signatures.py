"""The signatures of received files: a file that was changed after it was signed is not the document."""

import re
from collections.abc import Collection

from lxml import etree

from carimbo.fiscal.identity.certificate import UnreadableCertificate, owner_of
from carimbo.fiscal.identity.other_signature import UnknownMethod, verify_any
from carimbo.fiscal.identity.signature import NAMESPACE, BadSignature, verify
from carimbo.fiscal.identity.tax_ids import cnpj_base, is_cpf
from carimbo.fiscal.xml_reading import local_name, read_xml

_DIGEST = re.compile(rb"<digVal>\s*([^<\s]+)\s*</digVal>")
_AS_AUTHORIZED = "Envie o XML como foi autorizado."


def check_issuer_signature(tags: Collection[str], xml: bytes, issuer_tax_id: str) -> None:
    """Refuses a document that its issuer did not sign as it is, or with the protocol of another version.

    `tags` are those of the documents of a SEFAZ. Raises `BadSignature`.
    """
    for element in read_xml(xml).iterchildren("*"):
        if local_name(element) not in tags:
            continue
        try:
            signature = verify(element)
        except BadSignature as error:
            raise BadSignature(f"{error} {_AS_AUTHORIZED}") from error
        if not _is_of(signature.certificate_der, issuer_tax_id):
            raise BadSignature("A assinatura não é do emitente do documento.")
        authorized = _DIGEST.search(xml)
        if authorized and authorized[1].decode() != signature.digest_value:
            raise BadSignature("O protocolo é de outra versão deste documento.")


def check_note_signatures(xml: bytes, _issuer_tax_id: str) -> None:
    """Refuses an NFS-e that was changed after its authority signed it, or its DPS after it was signed.

    The signers are not compared with the issuer. The national environment signs with a certificate of a web
    server, which has no CNPJ, and cities as they like; these have judged who signed the DPS (E0718). A DPS of
    the web emitter has no signature. A signature whose method is not known is not checked further: to refuse
    a true note is worse, and a forger can sign again anyway. Raises `BadSignature`.
    """
    note = read_xml(xml)
    signed = [note, *(part for part in note.iterfind("{*}infNFSe/{*}DPS") if _has_signature(part))]
    for element in signed:
        try:
            verify_any(element)
        except UnknownMethod:
            continue
        except BadSignature as error:
            raise BadSignature(f"{error} {_AS_AUTHORIZED}") from error


def _has_signature(element: etree._Element) -> bool:
    return element.find(f"{{{NAMESPACE}}}Signature") is not None


def _is_of(certificate_der: bytes, tax_id: str) -> bool:
    """Returns whether a certificate is of a person, or of an establishment of a company."""
    try:
        owner, _ = owner_of(certificate_der)
    except UnreadableCertificate:
        return False
    if owner is None or is_cpf(tax_id):
        return owner == tax_id
    return cnpj_base(owner) == cnpj_base(tax_id)
