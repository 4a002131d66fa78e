"""Variables in the description of a service, such as {nomeCliente}, filled in for each note."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from carimbo.fiscal.documents.nfse.request import MAX_DESCRIPTION_LENGTH, NfseRequest
from carimbo.fiscal.identity.tax_ids import format_tax_id
from carimbo.fiscal.money import format_amount
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Findings, Problem

_VARIABLE = re.compile(r"\{([A-Za-z]\w*)\}")


@dataclass(frozen=True, slots=True)
class VariableSource:
    """The facts that variables are filled with."""

    request: NfseRequest
    company: Company
    competence: date


def _shown(tax_id: str | None) -> str:
    return format_tax_id(tax_id) if tax_id else ""


def _if_given(request: NfseRequest, field: str) -> str:
    """Returns a field that the caller sent; defaults for the catalog must not be printed."""
    return getattr(request, field) if field in request.model_fields_set else ""


VARIABLES: Mapping[str, Callable[[VariableSource], str]] = {
    "nomeProduto": lambda source: source.request.name or "",
    "sku": lambda source: _if_given(source.request, "sku"),
    "categoria": lambda source: _if_given(source.request, "category"),
    "valor": lambda source: format_amount(source.request.amount),
    "competencia": lambda source: f"{source.competence:%m/%Y}",
    "data": lambda source: f"{source.competence:%d/%m/%Y}",
    "nomeCliente": lambda source: source.request.borrower.name,
    "documentoCliente": lambda source: _shown(source.request.borrower.tax_id),
    "pedido": lambda source: source.request.external_id or "",
    "nomeEmpresa": lambda source: source.company.trade_name or source.company.legal_name,
}
"""By the names that callers write in braces."""


def fill_variables(source: VariableSource, findings: Findings) -> str:
    """Returns the description with its variables filled in; other texts in braces stay as they are."""
    text = source.request.service_description
    for name in dict.fromkeys(_VARIABLE.findall(text)):
        if name not in VARIABLES:
            names = ", ".join(f"{{{variable}}}" for variable in VARIABLES)
            findings.add_warning(
                f"A descrição tem {{{name}}}, que ficou como está: as variáveis são {names}."
            )
        elif not VARIABLES[name](source):
            findings.add_problem(
                Problem(
                    "VARIABLE_WITHOUT_VALUE",
                    "serviceDescription",
                    f"A descrição usa {{{name}}}, e o corpo não diz com que preencher.",
                    "Informe o campo (name, sku, category, externalId, borrower.taxId), ou tire a variável.",
                )
            )

    def value(match: re.Match[str]) -> str:
        variable = VARIABLES.get(match[1])
        return (variable(source) if variable else "") or match[0]

    filled = _VARIABLE.sub(value, text)
    if len(filled) > MAX_DESCRIPTION_LENGTH:
        findings.add_problem(
            Problem(
                "DESCRIPTION_LENGTH",
                "serviceDescription",
                f"Com as variáveis preenchidas a descrição tem {len(filled)} caracteres, e cabem"
                f" {MAX_DESCRIPTION_LENGTH}.",
            )
        )
    # Cut, so that the layout does not report the length a second time.
    return filled[:MAX_DESCRIPTION_LENGTH]
