"""Variables in the description of a service, which every sale fills in anew."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfse.request import LONGEST_DESCRIPTION, NfseRequest
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.money import written
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.taxpayer import format_tax_id

_VARIABLE = re.compile(r"\{([A-Za-z]\w*)\}")


@dataclass(frozen=True, slots=True)
class Sold:
    """What variables may tell of."""

    request: NfseRequest
    company: Company
    competence: date


def _shown(tax_id: str | None) -> str:
    return format_tax_id(tax_id) if tax_id else ""


def _if_told(request: NfseRequest, field: str) -> str:
    """What the catalog calls a service that the caller did not name is nothing to print."""
    return getattr(request, field) if field in request.model_fields_set else ""


VARIABLES: Mapping[str, Callable[[Sold], str]] = {
    "nomeProduto": lambda sold: sold.request.name or "",
    "sku": lambda sold: _if_told(sold.request, "sku"),
    "categoria": lambda sold: _if_told(sold.request, "category"),
    "valor": lambda sold: written(sold.request.amount),
    "competencia": lambda sold: f"{sold.competence:%m/%Y}",
    "data": lambda sold: f"{sold.competence:%d/%m/%Y}",
    "nomeCliente": lambda sold: sold.request.borrower.name,
    "documentoCliente": lambda sold: _shown(sold.request.borrower.tax_id),
    "pedido": lambda sold: sold.request.external_id or "",
    "nomeEmpresa": lambda sold: sold.company.trade_name or sold.company.legal_name,
}
"""By the names that callers write between braces."""


def described(sold: Sold, findings: Findings) -> str:
    """The description with its variables filled in; braces around anything else stay as they are."""
    text = sold.request.service_description
    for name in dict.fromkeys(_VARIABLE.findall(text)):
        if name not in VARIABLES:
            findings.assumed(_unknown(name))
        elif not VARIABLES[name](sold):
            findings.missed(_without_value(name))
    filled = _VARIABLE.sub(lambda found: _value(found, sold), text)
    if len(filled) > LONGEST_DESCRIPTION:
        findings.missed(_too_long(len(filled)))
    # What is wrong with it is told once, and not by the layout again.
    return filled[:LONGEST_DESCRIPTION]


def _value(found: re.Match[str], sold: Sold) -> str:
    variable = VARIABLES.get(found[1])
    return (variable(sold) if variable else "") or found[0]


def _unknown(name: str) -> str:
    known = ", ".join(f"{{{variable}}}" for variable in VARIABLES)
    return f"A descrição tem {{{name}}}, que ficou como está: as variáveis são {known}."


def _without_value(name: str) -> Problem:
    return Problem(
        "VARIABLE_WITHOUT_VALUE",
        "serviceDescription",
        f"A descrição usa {{{name}}}, e o corpo não diz com que preencher.",
        "Informe o campo (name, sku, category, externalId, borrower.taxId), ou tire a variável.",
    )


def _too_long(length: int) -> Problem:
    return Problem(
        "DESCRIPTION_LENGTH",
        "serviceDescription",
        f"Com as variáveis preenchidas a descrição tem {length} caracteres, e cabem {LONGEST_DESCRIPTION}.",
    )
