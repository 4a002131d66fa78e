"""IBS and CBS of a note: when they are due, and the operation indicator by the correlation (Anexo VIII).

The authority computes the amounts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from carimbo.fiscal.calendar import CALENDAR, DatedRule, RulesInForce
from carimbo.fiscal.documents.nfse.bodies import ServiceIbsCbsBody
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.territory import AT_TAKERS, Territory
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import (
    Property,
    ReferencedNotes,
    ReformAmounts,
    ReformSituation,
    ReformTaxes,
    ServiceIbsCbs,
)
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Findings, Problem
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IBS_CBS_SITUATIONS
from carimbo.fiscal.tables.service_codes import (
    OPERATION_INDICATORS,
    NationalService,
    ServiceGroup,
    ServiceIndicator,
    indicators_of_service,
    is_of_property,
)

USUAL_INDICATOR = "100301"
# Anexo VII: delivered movable goods, and services on persons or goods outside of the supplier's
# establishment; the codes of the same kind that end in 01 are for the establishment.
_ELSEWHERE = frozenset({"010103", "030102", "050102"})
_KIND = len("0301")
_EXPORTED = "410004"
_EXPORT_WARNING = (
    "ibsCbs.taxClassCode: O serviço é exportado, e a classificação das exportações é 410004, com o CST 410"
    " (LC 214/2025, art. 8º). Confira com a contabilidade."
)

_NFSE = "nfse"
_REGULAR_NOTE = "0"
_TAKER_IS_RECIPIENT = "0"
# Indicators that require an identified taker (Anexo I, E0187 and E0234). 030103 and 050103 are of Anexo VII
# before V1.02.00, and stay here as long as they are in the table.
_BY_TAKER = frozenset((
    "030102", "030103", "050102", "050103", "100101", "100102", "100201", "100301", "100302", "100401",
    "100501", "100502", "100601",
))  # fmt: skip
# Services in which several suppliers may take part in one operation (E0903).
_WITH_OPERATION_TYPE = frozenset({"10.05", "15.09", "17.12", "25.05"})
_OF_OTHER_NOTES = ("2", "3")


@dataclass(frozen=True, slots=True)
class IndicatorChoice:
    """The operation indicator of a document."""

    code: str
    candidates: tuple[str, ...] = ()
    """All indicators of the service in the correlation, if we chose among several."""
    is_by_place: bool = False
    """Whether the place of the service decided the choice."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warning that lists the candidates, if there are several."""
        if not self.candidates:
            return ()
        indicators = [OPERATION_INDICATORS[code] for code in self.candidates if code in OPERATION_INDICATORS]
        is_one_operation = len({indicator.operation for indicator in indicators}) == 1
        listed = "; ".join(
            f"{indicator.code} ({'' if is_one_operation else f'{indicator.operation}: '}{indicator.place})"
            for indicator in indicators
        )
        reason = ", pelo local da prestação" if self.is_by_place else ""
        return (
            "ibsCbs.operationIndicator: A tabela oficial admite mais de um indicador para este serviço:"
            f" {listed}. A nota leva {self.code}{reason}; se não é o certo, informe outro.",
        )


def choose_indicator(
    request: NfseRequest, body: ServiceIbsCbsBody, facts: ServiceFacts, territory: Territory
) -> IndicatorChoice:
    """Returns the given indicator, else the usual one if the correlation has it, else one of the correlation.

    Indicators of properties are only for bodies with a property, if the service has others too. Rows with the
    tax class of the body are preferred, then the kind of operation (four digits) with most NBS, and on a tie
    the lowest. The place of the service then decides between the supplier's establishment and elsewhere.
    """
    if body.operation_indicator:
        return IndicatorChoice(body.operation_indicator)
    if takes_usual_indicator(facts.service, facts.nbs, body):
        return IndicatorChoice(USUAL_INDICATOR)
    rows = _rows_of(facts.service, facts.nbs)
    fitting = _fitting(rows, body)
    candidates = tuple(sorted({row.indicator for row in _of_class(rows, body)}))
    rows = _of_class(fitting, body)
    if len(candidates) == 1:
        return IndicatorChoice(rows[0].indicator)
    kinds = Counter(kind for kind, _ in sorted({(row.indicator[:_KIND], row.nbs or "") for row in rows}))
    kind = kinds.most_common(1)[0][0]
    siblings = sorted({row.indicator for row in rows if row.indicator.startswith(kind)})
    away = [code for code in siblings if code in _ELSEWHERE]
    is_elsewhere = territory.service_city != territory.issuing_city or request.service_location == AT_TAKERS
    chosen = (away if is_elsewhere and away else siblings)[0]
    return IndicatorChoice(chosen, candidates, is_by_place=bool(away))


def takes_usual_indicator(service: NationalService, nbs: str | None, body: ServiceIbsCbsBody) -> bool:
    """Returns whether a body without an indicator gets the usual one."""
    rows = _rows_of(service, nbs)
    return not rows or any(row.indicator == USUAL_INDICATOR for row in _fitting(rows, body))


def class_warnings(request: NfseRequest, body: ServiceIbsCbsBody, facts: ServiceFacts) -> tuple[str, ...]:
    """Returns a warning if the tax class does not fit the service.

    The annex is about operations within the country: exports, which have no IBS and CBS, have their own
    class. Rows without NBS apply to any NBS.
    """
    if request.service_country_code or request.result_country_code:
        return () if body.tax_class_code == _EXPORTED else (_EXPORT_WARNING,)
    unassigned = [row for row in indicators_of_service(facts.service) if row.nbs is None]
    classes = sorted({row.tax_class for row in (*_rows_of(facts.service, facts.nbs), *unassigned)})
    if not classes or body.tax_class_code in classes:
        return ()
    listed = " ou ".join(filter(None, (", ".join(classes[:-1]), classes[-1])))
    return (
        f"ibsCbs.taxClassCode: A tabela oficial não tem a classificação {body.tax_class_code} para este"
        f" serviço, e sim {listed}. Confira com a contabilidade.",
    )


def has_property(body: ServiceIbsCbsBody) -> bool:
    """Returns whether a body has a property; a property without any field is not written."""
    return body.property not in (None, Property())


def _rows_of(service: NationalService, nbs: str | None) -> Sequence[ServiceIndicator]:
    """Returns the rows of a service with its NBS; all rows of the service if none has the NBS."""
    rows = indicators_of_service(service)
    return [row for row in rows if nbs and row.nbs == nbs] or rows


def _fitting(rows: Sequence[ServiceIndicator], body: ServiceIbsCbsBody) -> Sequence[ServiceIndicator]:
    """Returns the rows about properties, or about anything else, as the body has a property or none."""
    return [row for row in rows if is_of_property(row.indicator) is has_property(body)] or rows


def _of_class(rows: Sequence[ServiceIndicator], body: ServiceIbsCbsBody) -> Sequence[ServiceIndicator]:
    return [row for row in rows if row.tax_class == body.tax_class_code] or rows


def ibs_cbs_of(
    request: NfseRequest,
    company: Company,
    facts: ServiceFacts,
    territory: Territory,
    competence: date,
    rules: RulesInForce,
    findings: Findings,
) -> ServiceIbsCbs | None:
    """Returns `IBSCBS`; None if the group is neither due nor in the request.

    By default Simples pays in the DAS and a MEI pays fixed amounts; the layout has no field for either.
    """
    given = request.ibs_cbs
    is_due = DatedRule.IBS_CBS_GROUP in rules and company.informs_ibs_cbs(competence)
    if given is None and not is_due:
        return None
    body = given or ServiceIbsCbsBody()
    choice = choose_indicator(request, body, facts, territory)
    problems = (
        *_in_tables(body, choice.code, rules),
        *_of_operation(facts, body),
        *_lacking(request, facts, choice.code),
        *_property(facts, body, choice.code),
    )
    if problems and given is None and DatedRule.NFSE_GROUP_REQUIRED not in rules:
        fields = ", ".join(dict.fromkeys(problem.path for problem in problems))
        since = CALENDAR[DatedRule.NFSE_GROUP_REQUIRED].since
        from_day = f" a partir da competência {since:%d/%m/%Y}" if since else ""
        findings.add_warning(
            f"A nota sai sem IBS e CBS, porque falta ou não serve {fields}: a empresa já deve informá-los,"
            f" e a falta será recusada{from_day}."
        )
        return None
    findings.add_problems(problems)
    for warning in (*choice.warnings, *class_warnings(request, body, facts)):
        findings.add_warning(warning)
    return _group(request, body, choice.code)


def _group(request: NfseRequest, body: ServiceIbsCbsBody, indicator: str) -> ServiceIbsCbs:
    is_personal = request.borrower.is_person if body.personal_use is None else body.personal_use
    situation = ReformSituation(cst=body.cst, tax_class=body.tax_class_code)
    return ServiceIbsCbs(
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
"""Whether a rule is broken, its code, the field, and the message."""


def _broken(*checks: _Check) -> tuple[Problem, ...]:
    return tuple(Problem(code, field, message) for applies, code, field, message in checks if applies)


def _in_tables(body: ServiceIbsCbsBody, indicator: str, rules: RulesInForce) -> tuple[Problem, ...]:
    tax_class, cst = IBS_CBS_CLASSES.get(body.tax_class_code), body.cst
    is_for_services = tax_class is not None and _NFSE in tax_class.models and cst in IBS_CBS_SITUATIONS
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


def _of_operation(facts: ServiceFacts, body: ServiceIbsCbsBody) -> tuple[Problem, ...]:
    """Checks the type of operation, which only few services have, and the notes that some types refer to."""
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
    """Checks the other fields that a document with the group requires."""
    by_taker, taker = indicator in _BY_TAKER, request.borrower
    is_unidentified = by_taker and not taker.is_identified
    gaps = taker.address_gaps("borrower.address") if by_taker and taker.is_identified else ()
    return _broken(
        (facts.nbs is None, "E0322", "nbs", "O NBS é obrigatório com IBS e CBS."),
        (is_unidentified, "E0187", "borrower.taxId", "O indicador da operação exige o tomador identificado."),
        *((True, "E0234", gap, "O indicador da operação exige o endereço do tomador.") for gap in gaps),
    )


def _property(facts: ServiceFacts, body: ServiceIbsCbsBody, indicator: str) -> tuple[Problem, ...]:
    """Checks the property; services of construction have the building site instead."""
    has_one, is_required = has_property(body), is_of_property(indicator)
    is_building = facts.service.required_group is ServiceGroup.CONSTRUCTION
    field = "ibsCbs.property"
    missing = f"O indicador {indicator} é de operação com imóvel: informe cibCode (código CIB) ou address."
    surplus = f"O indicador {indicator} não é de operação com imóvel."
    return _broken(
        (is_required and not has_one and not is_building, "E0932", field, missing),
        (has_one and not is_required and not is_building, "E0928", field, surplus),
        (
            has_one and is_building,
            "E0931",
            field,
            "Em serviço de construção, informe a obra em construction, e não este campo.",
        ),
    )
