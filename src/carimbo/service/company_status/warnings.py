"""Warnings of a company's status: problems that block no document today but need attention."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from enum import StrEnum

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.tables.ibs_cbs import ReformTax
from carimbo.fiscal.taxes.missing_rates import (
    RATE_COLUMN,
    RATES_FILE,
    MissingRate,
    missing_rates,
    needs_rates,
    reported_missing_rates,
)
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.company_status.open_documents import closes_by
from carimbo.service.document_types import document_type_named
from carimbo.storage.open_documents import OpenDocumentRow


class CompanyWarningCode(StrEnum):
    """The code of a warning in a company's status."""

    RATE_MISSING = "RATE_MISSING"
    SIMPLES_IBS_CBS_NOT_INFORMED = "SIMPLES_IBS_CBS_NOT_INFORMED"
    DOCUMENT_LEFT_OPEN = "DOCUMENT_LEFT_OPEN"


class CompanyWarningRecord(Record):
    """A warning and the place where its cause can be fixed."""

    code: CompanyWarningCode = Field(
        description=(
            "`RATE_MISSING`: falta a alíquota de um tributo; `SIMPLES_IBS_CBS_NOT_INFORMED`: os documentos da"
            " empresa não informam IBS e CBS; `DOCUMENT_LEFT_OPEN`: um MDF-e está aberto há semanas, e a"
            " SEFAZ recusará os próximos."
        )
    )
    message: str = Field(description="O que acontece e o que fazer.")
    since: date | None = Field(description="O primeiro dia de que o aviso trata.", examples=["2027-01-01"])
    tax: ReformTax | None = Field(description="O tributo sem alíquota; nulo nos demais avisos.")
    file: str | None = Field(
        description="A tabela em que falta a alíquota; nulo nos demais avisos.", examples=[RATES_FILE]
    )
    column: str | None = Field(
        description="A coluna em que ela falta; nulo nos demais avisos.", examples=[RATE_COLUMN]
    )


def warnings_of(snapshot: CompanySnapshot, now: datetime) -> list[CompanyWarningRecord]:
    """Returns the current warnings of a company; none while its registration is incomplete."""
    if snapshot.row.address is None or snapshot.row.tax_regime is None:
        return []
    today = local_day(now, snapshot.company.address.state)
    return [*_missing_rates(snapshot.company, today), *_simples_notice(snapshot.company, today)]


def left_open(rows: Sequence[OpenDocumentRow], state: str, now: datetime) -> list[CompanyWarningRecord]:
    """Returns the warnings about documents that must be closed soon."""
    return [
        CompanyWarningRecord(
            code=CompanyWarningCode.DOCUMENT_LEFT_OPEN,
            message=(
                f"O {document_type_named(row.type).title} {row.number} (chave {row.access_key}) está aberto:"
                f" {_what_to_do(local_day(closes_by(row), state), is_late=now >= closes_by(row))}"
            ),
            since=local_day(closes_by(row), state),
            tax=None,
            file=None,
            column=None,
        )
        for row in rows
    ]


def _what_to_do(last_day: date, *, is_late: bool) -> str:
    if is_late:
        return f"encerre-o já, porque desde {last_day:%d/%m/%Y} a SEFAZ recusa os próximos da empresa."
    return f"encerre-o antes de {last_day:%d/%m/%Y}, ou a SEFAZ recusará os próximos da empresa."


def rates_missing_now(
    snapshot: CompanySnapshot, document_type: DocumentType, now: datetime
) -> tuple[str, ...]:
    """Returns the missing rates for which documents are refused today, as file, tax and column."""
    if snapshot.row.address is None or snapshot.row.tax_regime is None or not needs_rates(document_type.name):
        return ()
    today = local_day(now, snapshot.company.address.state)
    if not snapshot.company.informs_ibs_cbs(today):
        return ()
    return tuple(missing.place for missing in missing_rates(today, today))


def _missing_rates(company: Company, today: date) -> Iterator[CompanyWarningRecord]:
    for missing in reported_missing_rates(today):
        if company.informs_ibs_cbs(max(missing.since, today)):
            yield CompanyWarningRecord(
                code=CompanyWarningCode.RATE_MISSING,
                message=_rate_message(missing),
                since=missing.since,
                tax=missing.tax,
                file=RATES_FILE,
                column=RATE_COLUMN,
            )


def _rate_message(missing: MissingRate) -> str:
    titles = [document_type.title for document_type in DOCUMENT_TYPES if needs_rates(document_type.name)]
    return (
        f"Falta a alíquota {missing.tax_name} a partir de {missing.since:%d/%m/%Y}. Sem ela são recusados os"
        f" documentos desse dia em diante: {', '.join(titles)}. Quem opera o serviço preenche a coluna"
        f" {RATE_COLUMN} da linha {missing.tax} em {RATES_FILE}, na pasta de CARIMBO_TABLES_FOLDER, e envia"
        " SIGHUP aos processos, que não precisam ser reiniciados."
    )


def _simples_notice(company: Company, today: date) -> Iterator[CompanyWarningRecord]:
    rule = CALENDAR[DatedRule.SIMPLES_INFORMS_IBS_CBS]
    if rule.is_in_force(today) and not company.informs_ibs_cbs(today):
        yield CompanyWarningRecord(
            code=CompanyWarningCode.SIMPLES_IBS_CBS_NOT_INFORMED,
            message=(
                "Os documentos desta empresa saem sem o grupo de IBS e CBS, porque ainda não há leiaute para"
                " quem os paga no DAS. Se ela é do Simples e optou pelo regime regular neste semestre,"
                " informe ibsCbsRegime no cadastro da empresa."
            ),
            since=rule.since,
            tax=None,
            file=None,
            column=None,
        )
