"""Issue a document from files: `python -m carimbo.fiscal request.json --company company.json`.

Clock and random numbers, which the library itself never reads, come from this program. Nothing is sent.
"""

import argparse
import secrets
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from carimbo.fiscal.body.messages import in_portuguese, json_path
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import Emission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import choose_numeric_code
from carimbo.fiscal.identity.certificate import certificate_problems
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.local_time import moment_of
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.parties.company_file import CompanyFile, certificate_of, read_json_file
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.registry import DOCUMENT_TYPES, module_named, settings_beside
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.tables.table_file import TableUnusable


def main(arguments: list[str]) -> int:
    """Prints the signed XML to standard output, or the problems to standard error."""
    options = _options(arguments)
    try:
        result = _issue(options)
    except ValidationError as invalid:
        result = tuple(
            Problem("VALIDATION_ERROR", json_path(error["loc"]) or "body", in_portuguese(error))
            for error in invalid.errors()
        )
    except OSError as error:
        message = "O arquivo não foi encontrado ou não pode ser lido."
        result = (Problem("INPUT", str(error.filename), message),)
    except TableUnusable as error:
        result = (Problem("INPUT", str(options.tables), str(error)),)
    except ValueError as error:
        result = (Problem("INPUT", str(options.request), str(error)),)
    if isinstance(result, SignedDocument):
        sys.stderr.writelines(f"Aviso: {warning}\n" for warning in result.warnings)
        sys.stdout.buffer.write(result.xml + b"\n")
        return 0
    for problem in result:
        hint = f" {problem.hint}" if problem.hint else ""
        sys.stderr.write(f"{problem.path}: {problem.message}{hint} [{problem.code}]\n")
    return 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m carimbo.fiscal", description=__doc__)
    parser.add_argument("request", type=Path, help="the body of the request, as the API takes it")
    parser.add_argument("--company", type=Path, required=True, help="the company, its A1 file and settings")
    names = [document_type.name for document_type in DOCUMENT_TYPES]
    parser.add_argument("--type", choices=names, help="the document type; else the name of the folder")
    parser.add_argument("--number", type=int, help="else that of the company's settings, or 1")
    parser.add_argument("--numeric-code", help="else drawn at random")
    parser.add_argument("--responsible", type=Path, help="the technical responsible (infRespTec)")
    parser.add_argument("--tables", type=Path, help="a folder with newer official tables")
    parser.add_argument("--schemas", type=Path, help="a folder with newer official XSDs")
    return parser.parse_args(arguments)


def _issue(options: argparse.Namespace) -> SignedDocument | tuple[Problem, ...]:
    use_tables_of(options.tables)
    # Read before the type is chosen: the folder of a missing file says nothing about the type.
    body = read_json_file(options.request)
    document_type = _type_named(options.type or options.request.resolve().parent.name)
    issuing, point_of_sale = document_type.issuing, document_type.point_of_sale
    company = CompanyFile.model_validate(read_json_file(options.company))
    settings = document_type.settings.model_validate(company.settings.get(document_type.name, {}))
    request = issuing.request.model_validate(body)
    if filling := document_type.reference_filling:
        # There are no other documents of the company here, so a request that is filled from them is refused.
        _, review = filling.fill(body, request, {})
        if review.problems:
            return review.problems
    switch = module_named(document_type.switch_module).settings.model_validate(
        company.settings.get(document_type.switch_module, {})
    )
    environment = switch.effective_environment(company.environment)
    emission = point_of_sale and point_of_sale.printed_emission(request, company, environment)
    if isinstance(emission, tuple):
        return emission
    emission = emission or _emission(options, company, settings, environment, issuing.issue_date(request))
    certificate = certificate_of(company, options.company.parent)
    issuance = Issuance(
        company=company,
        emission=emission,
        software=Software("carimbo", _responsible(options)),
        settings=settings,
        other_settings=settings_beside(document_type, company.settings),
        signer=Signer.of(certificate),
        schemas=Schemas(options.schemas),
        now=datetime.now(UTC),
    )
    problems = certificate_problems(certificate, company.tax_id, emission.issued_at)
    return problems or issuing.issue(request, issuance)


def _responsible(options: argparse.Namespace) -> TechnicalResponsible | None:
    if options.responsible is None:
        return None
    return TypeAdapter(TechnicalResponsible).validate_python(read_json_file(options.responsible))


def _type_named(name: str) -> DocumentType:
    for document_type in DOCUMENT_TYPES:
        if document_type.name == name:
            return document_type
    raise ValueError(f"Informe --type: “{name}” não é um tipo de documento.")


def _emission(
    options: argparse.Namespace,
    company: CompanyFile,
    settings: ModuleSettings,
    environment: Environment,
    issue_date: date | None,
) -> Emission:
    chosen_number: int | None = options.number
    now, state = datetime.now(UTC), company.address.state
    number = (settings.number or 1) if chosen_number is None else chosen_number
    return Emission(
        environment=environment,
        series=settings.series,
        number=number,
        numeric_code=choose_numeric_code(number, lambda: secrets.randbelow(100_000_000))
        if options.numeric_code is None
        else options.numeric_code,
        issued_at=local_moment(moment_of(issue_date or now, state, now), state),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
