"""Issue a document from files: `python -m carimbo.fiscal request.json --company company.json`.

The library itself knows no clock and no chance; this program lends it both. Nothing is sent anywhere.
"""

import argparse
import json
import secrets
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError

from carimbo.fiscal.access_key import choose_numeric_code
from carimbo.fiscal.certificate import open_a1
from carimbo.fiscal.company import Company, Environment
from carimbo.fiscal.document_type import DocumentType, Issuance, ModuleSettings
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.field_messages import in_portuguese, json_path
from carimbo.fiscal.fields import Body
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.software import Software
from carimbo.fiscal.tables.states import STATES


class CertificateFile(Body):
    """Where the company's A1 file is, seen from the company's own file."""

    file: str
    password: str


class CompanyFile(Company):
    """A company with what its documents need besides: environment, certificate and settings per type."""

    environment: Environment = Environment.HOMOLOGATION
    certificate: CertificateFile
    settings: dict[str, dict[str, Any]] = Field(default_factory=dict)


def main(arguments: list[str]) -> int:
    """Print the signed XML, or the problems on standard error."""
    options = _options(arguments)
    try:
        made = _issue(options)
    except ValidationError as invalid:
        made = tuple(
            Problem("VALIDATION_ERROR", f"{invalid.title}: {json_path(error['loc'])}", in_portuguese(error))
            for error in invalid.errors()
        )
    except OSError as error:
        made = (Problem("INPUT", str(error.filename), "O arquivo não foi encontrado ou não pode ser lido."),)
    except ValueError as error:
        made = (Problem("INPUT", str(options.request), str(error)),)
    if isinstance(made, SignedDocument):
        sys.stdout.buffer.write(made.xml + b"\n")
        return 0
    sys.stderr.writelines(f"{problem.path}: {problem.message} [{problem.code}]\n" for problem in made)
    return 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m carimbo.fiscal", description=__doc__)
    parser.add_argument("request", type=Path, help="the body of the request, as the API takes it")
    parser.add_argument("--company", type=Path, required=True, help="the company, its A1 file and settings")
    names = [one.name for one in DOCUMENT_TYPES if one.issuing]
    parser.add_argument("--type", choices=names, help="the document type; else the name of the folder")
    parser.add_argument("--number", type=int, help="else that of the company's settings, or 1")
    parser.add_argument("--numeric-code", help="else drawn at random")
    parser.add_argument("--schemas", type=Path, help="a folder with newer official XSDs")
    return parser.parse_args(arguments)


def _issue(options: argparse.Namespace) -> SignedDocument | tuple[Problem, ...]:
    document_type = _type_named(options.type or options.request.resolve().parent.name)
    issuing = document_type.issuing
    if issuing is None:
        raise ValueError(f"{document_type.title} ainda não pode ser emitida.")
    company = CompanyFile.model_validate(read_json(options.company))
    settings = document_type.settings.model_validate(company.settings.get(document_type.name, {}))
    request = issuing.request.model_validate(read_json(options.request))
    emission = issuing.printed_emission and issuing.printed_emission(request, company, company.environment)
    if isinstance(emission, tuple):
        return emission
    issuance = Issuance(
        company=company,
        emission=emission or _emission(options, company, settings, getattr(request, "issue_date", None)),
        software=Software("carimbo"),
        settings=settings,
        signer=signer_of(company, options.company.parent),
        schemas=Schemas(options.schemas),
    )
    return issuing.issue(request, issuance)


def _type_named(name: str) -> DocumentType:
    for document_type in DOCUMENT_TYPES:
        if document_type.name == name:
            return document_type
    raise ValueError(f"Informe --type: “{name}” não é um tipo de documento.")


def read_json(file: Path) -> Any:
    """Read a JSON file with its numbers exact."""
    try:
        return json.loads(file.read_bytes(), parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        place = f", na linha {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(f"O arquivo {file.name} não é um JSON em UTF-8{place}.") from error


def signer_of(company: CompanyFile, folder: Path) -> Signer:
    """Open the company's A1 file, which lies beside its JSON."""
    return Signer.of(open_a1((folder / company.certificate.file).read_bytes(), company.certificate.password))


def _emission(
    options: argparse.Namespace, company: CompanyFile, settings: ModuleSettings, asked: datetime | None
) -> Emission:
    number = options.number or settings.number or 1
    zone = ZoneInfo(STATES[company.address.state].zone)
    return Emission(
        environment=company.environment,
        series=settings.series,
        number=number,
        numeric_code=options.numeric_code
        or choose_numeric_code(number, lambda: secrets.randbelow(100_000_000)),
        issued_at=asked or datetime.now(UTC).astimezone(zone).replace(microsecond=0),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
