"""Parties that all SEFAZ documents write alike."""

from carimbo.fiscal.layouts.group import group, text


@group("autXML")
class AuthorizedReader:
    """`autXML`: another person who may download the document, such as the accountant or the carrier."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)


@group("infRespTec")
class TechnicalContact:
    """`infRespTec`: the technical contact for the software, as transport documents have it."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    contact: str = text("xContato", 60)
    email: str = text("email", 60)
    phone: str = text("fone", 12)
    csrt_id: str | None = text("idCSRT", 3, default=None)
    csrt_hash: str | None = text("hashCSRT", 28, path="csrt", default=None)
