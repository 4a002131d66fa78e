"""A company in a JSON file, with its A1 file in the same folder."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, open_a1
from carimbo.fiscal.parties.company import Company, IbsCbsOptions, problem_of_options


class CertificateFile(Body):
    """The company's A1 file, relative to its JSON file."""

    file: str
    password: str


class CompanyFile(Company):
    """A company with environment, certificate and settings per document type."""

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


def read_json_file(file: Path) -> Any:
    """Reads a JSON file with exact numbers."""
    try:
        return json.loads(file.read_bytes(), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        place = f", na linha {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"O arquivo {file.name} não é um JSON em UTF-8{place}.") from error


def certificate_of(company: CompanyFile, folder: Path) -> A1Certificate:
    """Opens the company's A1 file."""
    return open_a1((folder / company.certificate.file).read_bytes(), company.certificate.password)
