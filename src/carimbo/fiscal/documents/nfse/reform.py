"""IBS and CBS: who tells them, and with what; the authority computes the amounts."""

from datetime import date

from carimbo.fiscal.calendar import CALENDAR, DatedRule, RulesInForce
from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfse.correlation import choose_indicator, class_warnings, has_property
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.tax_bodies import IbsCbsBody
from carimbo.fiscal.documents.nfse.territory import Territory
from carimbo.fiscal.findings import Findings
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import (
    IbsCbs,
    ReferencedNotes,
    ReformAmounts,
    ReformTaxes,
    Situation,
)
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS
from carimbo.fiscal.tables.national_services import ServiceGroup
from carimbo.fiscal.tables.operation_indicators import OPERATION_INDICATORS, is_of_property

_NFSE = "nfse"
_REGULAR_NOTE = "0"
_TAKER_IS_RECIPIENT = "0"
# Indicators with which the taker has to be known (Anexo I, E0187 and E0234). 030103 and 050103 are of the
# version of Anexo VII before V1.02.00, and stay as long as they are in the table.
_BY_TAKER = frozenset((
    "030102", "030103", "050102", "050103", "100101", "100102", "100201", "100301", "100302", "100401",
    "100501", "100502", "100601",
))  # fmt: skip
# Services of which several suppliers may take part in one operation (E0903).
_WITH_OPERATION_TYPE = frozenset({"10.05", "15.09", "17.12", "25.05"})
_OF_OTHER_NOTES = ("2", "3")


def ibs_cbs_of(
    request: NfseRequest,
    company: Company,
    facts: ServiceFacts,
    territory: Territory,
    competence: date,
    rules: RulesInForce,
    findings: Findings,
) -> IbsCbs | None:
    """Returns `IBSCBS`, or None where the company neither owes the group nor asks for it.

    Simples pays inside the DAS by default and MEI by fixed amounts; the layout has no field for either.
    """
    asked = request.ibs_cbs
    is_due = DatedRule.IBS_CBS_GROUP in rules and company.informs_ibs_cbs(competence)
    if asked is None and not is_due:
        return None
    body = asked or IbsCbsBody()
    choice = choose_indicator(request, body, facts, territory)
    problems = (
        *_in_tables(body, choice.code, rules),
        *_of_operation(facts, body),
        *_lacking(request, facts, choice.code),
        *_property(facts, body, choice.code),
    )
    if problems and asked is None and DatedRule.NFSE_GROUP_REQUIRED not in rules:
        findings.assumed(_left_out(problems))
        return None
    findings.missed_all(problems)
    for warning in (*choice.warnings, *class_warnings(request, body, facts)):
        findings.assumed(warning)
    return _group(request, body, choice.code)


def _group(request: NfseRequest, body: IbsCbsBody, indicator: str) -> IbsCbs:
    is_personal = request.borrower.is_person if body.personal_use is None else body.personal_use
    situation = Situation(cst=body.cst, tax_class=body.tax_class_code)
    return IbsCbs(
        purpose=_REGULAR_NOTE,
        personal_use="1" if is_personal else "0",
        operation_indicator=indicator,
        operation_type=body.operation_type,
        referenced_notes=ReferencedNotes(access_keys=keys) if (keys := body.referenced_keys) else None,
        recipient_kind=_TAKER_IS_RECIPIENT,
        property=body.property,
        amounts=ReformAmounts(taxes=ReformTaxes(situation=situation)),
    )


_Check = tuple[bool, str, str, str]
"""Whether a rule is broken, its code, the field that breaks it, and what is told."""


def _broken(*checks: _Check) -> tuple[Problem, ...]:
    return tuple(Problem(code, field, told) for applies, code, field, told in checks if applies)


def _in_tables(body: IbsCbsBody, indicator: str, rules: RulesInForce) -> tuple[Problem, ...]:
    known, cst = IBS_CBS_CLASSES.get(body.tax_class_code), body.cst
    is_for_services = known is not None and _NFSE in known.models and cst in IBS_CBS_SITUATIONS
    is_of_situation = body.tax_class_code.startswith(cst)
    is_indicator = indicator in OPERATION_INDICATORS
    field = "ibsCbs.taxClassCode"
    return _broken(
        (
            DatedRule.IBS_CBS_GROUP not in rules,
            "E0850",
            "ibsCbs",
            "Nesta competência IBS e CBS ainda não podem ser informados.",
        ),
        (not is_for_services, "E0958", field, "A classificação não é de prestação de serviços."),
        (
            not is_of_situation,
            "E0959",
            field,
            "Os três primeiros dígitos da classificação devem ser os do CST.",
        ),
        (not is_indicator, "E0901", "ibsCbs.operationIndicator", "O indicador não está na tabela."),
    )


def _of_operation(facts: ServiceFacts, body: IbsCbsBody) -> tuple[Problem, ...]:
    """The type of an operation, which few services tell, and the notes that some types refer to."""
    has_type, wants_type = body.operation_type is not None, facts.service.item in _WITH_OPERATION_TYPE
    has_notes, wants_notes = bool(body.referenced_keys), body.operation_type in _OF_OTHER_NOTES
    field, notes = "ibsCbs.operationType", "ibsCbs.referencedKeys"
    return _broken(
        (wants_type and not has_type, "E0903", field, "Este serviço exige o tipo da operação."),
        (has_type and not wants_type, "E0904", field, "Este serviço não admite o tipo da operação."),
        (wants_notes and not has_notes, "E0905", notes, "Este tipo da operação exige NFS-e referidas."),
        (has_notes and not wants_notes, "E0906", notes, "Este tipo da operação não admite NFS-e referidas."),
    )


def _lacking(request: NfseRequest, facts: ServiceFacts, indicator: str) -> tuple[Problem, ...]:
    """What a document with the group must tell besides."""
    by_taker, taker = indicator in _BY_TAKER, request.borrower
    is_nobody = by_taker and not taker.is_identified
    gaps = taker.address_gaps("borrower.address") if by_taker and taker.is_identified else ()
    return _broken(
        (facts.nbs is None, "E0322", "nbs", "O NBS é obrigatório com IBS e CBS."),
        (is_nobody, "E0187", "borrower.taxId", "O indicador da operação exige o tomador identificado."),
        *((True, "E0234", gap, "O indicador da operação exige o endereço do tomador.") for gap in gaps),
    )


def _property(facts: ServiceFacts, body: IbsCbsBody, indicator: str) -> tuple[Problem, ...]:
    """The property of an operation; services of construction have the building site in its place."""
    is_told, is_wanted = has_property(body), is_of_property(indicator)
    is_building = facts.service.required_group is ServiceGroup.CONSTRUCTION
    field = "ibsCbs.property"
    missing = f"O indicador {indicator} é de operação com imóvel: informe cibCode (código CIB) ou address."
    surplus = f"O indicador {indicator} não é de operação com imóvel."
    return _broken(
        (is_wanted and not is_told and not is_building, "E0932", field, missing),
        (is_told and not is_wanted and not is_building, "E0928", field, surplus),
        (
            is_told and is_building,
            "E0931",
            field,
            "Em serviço de construção, informe a obra em construction, e não este campo.",
        ),
    )


def _since(rule: DatedRule) -> str:
    since = CALENDAR[rule].since
    return f" a partir da competência {since:%d/%m/%Y}" if since else ""


def _left_out(problems: tuple[Problem, ...]) -> str:
    fields = ", ".join(dict.fromkeys(problem.path for problem in problems))
    return (
        f"A nota sai sem IBS e CBS, porque falta ou não serve {fields}: a empresa já deve informá-los,"
        f" e a falta será recusada{_since(DatedRule.NFSE_GROUP_REQUIRED)}."
    )
