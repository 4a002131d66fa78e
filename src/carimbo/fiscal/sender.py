"""On whose behalf an authority is asked."""

from dataclasses import dataclass

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.environment import Environment


@dataclass(frozen=True, slots=True)
class Sender:
    """Who asks."""

    certificate: A1Certificate
    tax_id: str
    """CNPJ or CPF of the company, whose calls the authorities count."""
    environment: Environment
