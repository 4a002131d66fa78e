"""Sentences that a page shows once after a form: what was done."""

from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import urlsplit

NOTICE = "aviso"
"""The parameter in the address of a page that names the sentence."""


class Notice(StrEnum):
    """What was done."""

    SAVED = "guardado"
    COMPANY_CREATED = "empresa-cadastrada"
    COMPANY_DELETED = "empresa-excluida"
    CERTIFICATE_SAVED = "certificado-guardado"
    ENVIRONMENT_SWITCHED = "ambiente-trocado"
    CREATED = "criado"
    REMOVED = "removido"
    SENT = "enviado"
    QUEUED = "na-fila"
    EMAIL_QUEUED = "email-na-fila"
    REGISTERED = "registrado"
    DISMISSED = "encerrado"


NOTICES: Mapping[str, str] = {
    Notice.SAVED: "Guardado.",
    Notice.COMPANY_CREATED: "Empresa cadastrada, em homologação.",
    Notice.COMPANY_DELETED: "Empresa excluída.",
    Notice.CERTIFICATE_SAVED: "Certificado guardado.",
    Notice.ENVIRONMENT_SWITCHED: "Ambiente trocado.",
    Notice.CREATED: "Criado.",
    Notice.REMOVED: "Removido.",
    Notice.SENT: "Enviado.",
    Notice.QUEUED: "Pedido aceito: o resultado aparece aqui.",
    Notice.EMAIL_QUEUED: "O e-mail está na fila: abra a página de novo para ver se foi enviado.",
    Notice.REGISTERED: "A autoridade registrou.",
    Notice.DISMISSED: "Encerrado: o documento ficou rejeitado.",
}


def with_notice(address: str, notice: Notice) -> str:
    """Returns the address of a page that says what was done."""
    path, hash_, fragment = address.partition("#")
    joined = "&" if urlsplit(path).query else "?"
    return f"{path}{joined}{NOTICE}={notice}{hash_}{fragment}"
