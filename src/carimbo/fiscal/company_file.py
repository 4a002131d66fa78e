"""A company as files: its JSON, and the A1 file beside it."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.certificate import A1Certificate, open_a1
from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.ibs_cbs_options import IbsCbsOptions, problem_of_options


class CertificateFile(Body):
    """Where the company's A1 file is, seen from the company's own file."""

    file: str
    password: str


class CompanyFile(Company):
    """A company with what its documents need besides: environment, certificate and settings per type."""

    environment: Environment = Environment.HOMOLOGATION
    certificate: CertificateFile
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)
    ibs_cbs_regime: IbsCbsOptions = ()

    @model_validator(mode="after")
    def _refuse_options_of_other_regimes(self) -> Self:
        problem = problem_of_options(self.tax_regime, self.ibs_cbs_regime)
        if problem:
            raise PydanticCustomError("ibs_cbs_options", "{problem}", {"problem": f"ibsCbsRegime: {problem}"})
        return self


def read_json(file: Path) -> Any:
    """Read a JSON file with its numbers exact."""
    try:
        return json.loads(file.read_bytes(), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        place = f", na linha {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"O arquivo {file.name} não é um JSON em UTF-8{place}.") from error


def certificate_of(company: CompanyFile, folder: Path) -> A1Certificate:
    """Open the company's A1 file, which lies beside its JSON."""
    return open_a1((folder / company.certificate.file).read_bytes(), company.certificate.password)
