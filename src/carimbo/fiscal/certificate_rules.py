"""Whether a certificate may sign for a company, told before the authority refuses it."""

from datetime import datetime

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.problems import Problem

_PATH = "company.certificate"


def certificate_problems(certificate: A1Certificate, tax_id: str, moment: datetime) -> tuple[Problem, ...]:
    """What keeps a certificate from signing a document of this company at this moment."""
    found = []
    if not certificate.belongs_to_base(tax_id):
        message = "O certificado não é da empresa: o CNPJ base é outro."
        found.append(
            Problem("213", _PATH, message, "Use o certificado da matriz ou de uma filial da empresa.")
        )
    if not certificate.is_valid_at(moment):
        until = f"{certificate.not_after:%d/%m/%Y}"
        found.append(Problem("291", _PATH, f"O certificado não vale na data da emissão; vence em {until}."))
    return tuple(found)
