"""Parties that all SEFAZ documents write alike."""

from carimbo.fiscal.layouts.group import group, text


@group("autXML")
class AuthorizedReader:
    """`autXML`: another person who may download the document, such as the accountant or the carrier."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
