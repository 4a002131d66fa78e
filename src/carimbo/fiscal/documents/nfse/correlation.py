"""The operation indicator of a service, and its tax class, by the official correlation (Anexo VIII)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.tax_bodies import IbsCbsBody
from carimbo.fiscal.documents.nfse.territory import AT_TAKERS, Territory
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Property
from carimbo.fiscal.tables.national_services import NationalService
from carimbo.fiscal.tables.operation_indicators import (
    OPERATION_INDICATORS,
    OperationIndicator,
    is_of_property,
)
from carimbo.fiscal.tables.service_indicators import ServiceIndicator, indicators_of_service

USUAL_INDICATOR = "100301"
# By Anexo VII: movable goods that are delivered, and services on persons or goods that are not performed at
# the supplier's establishment, which their siblings that end in 01 mean.
_ELSEWHERE = frozenset({"010103", "030102", "050102"})
_KIND = len("0301")
_EXPORTED = "410004"
_EXPORT_WARNING = (
    "ibsCbs.taxClassCode: O serviço é exportado, e a classificação das exportações é 410004, com o CST 410"
    " (LC 214/2025, art. 8º). Confira com a contabilidade."
)


@dataclass(frozen=True, slots=True)
class IndicatorChoice:
    """The indicator that a document gets."""

    code: str
    candidates: tuple[str, ...] = ()
    """All that the correlation has for the service, if the choice among them was ours."""
    is_by_place: bool = False
    """Whether the place of the service decided."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Returns the sentence that names the candidates, if there are several."""
        if not self.candidates:
            return ()
        indicators = [OPERATION_INDICATORS[code] for code in self.candidates if code in OPERATION_INDICATORS]
        is_one_operation = len({indicator.operation for indicator in indicators}) == 1
        listed = "; ".join(
            f"{indicator.code} ({indicator.place if is_one_operation else _described(indicator)})"
            for indicator in indicators
        )
        reason = ", pelo local da prestação" if self.is_by_place else ""
        return (
            "ibsCbs.operationIndicator: A tabela oficial admite mais de um indicador para este serviço:"
            f" {listed}. A nota leva {self.code}{reason}; se não é o certo, informe outro.",
        )


def choose_indicator(
    request: NfseRequest, body: IbsCbsBody, facts: ServiceFacts, territory: Territory
) -> IndicatorChoice:
    """Returns the caller's indicator, else the usual one if the correlation has it, else the correlation's.

    Indicators of properties are for bodies with a property, if the service has others too. Rows that also
    have the class of the body go first, then the kind of operation (four digits) with most NBS, and on a tie
    the lowest. The place of the service then tells the supplier's establishment from elsewhere.
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
    kind = _usual_kind(rows)
    siblings = sorted({row.indicator for row in rows if row.indicator.startswith(kind)})
    away = [code for code in siblings if code in _ELSEWHERE]
    is_elsewhere = territory.service_city != territory.issuing_city or request.service_location == AT_TAKERS
    chosen = (away if is_elsewhere and away else siblings)[0]
    return IndicatorChoice(chosen, candidates, is_by_place=bool(away))


def takes_usual_indicator(service: NationalService, nbs: str | None, body: IbsCbsBody) -> bool:
    """Returns whether a body without an indicator gets the usual one."""
    rows = _rows_of(service, nbs)
    return not rows or any(row.indicator == USUAL_INDICATOR for row in _fitting(rows, body))


def class_warnings(request: NfseRequest, body: IbsCbsBody, facts: ServiceFacts) -> tuple[str, ...]:
    """Returns a warning if the tax class does not fit the service.

    The annex is about operations within the country: exports, which IBS and CBS do not charge, have a class
    of their own. Rows without NBS hold for any NBS.
    """
    if request.service_country_code or request.result_country_code:
        return () if body.tax_class_code == _EXPORTED else (_EXPORT_WARNING,)
    unassigned = [row for row in indicators_of_service(facts.service) if row.nbs is None]
    classes = sorted({row.tax_class for row in (*_rows_of(facts.service, facts.nbs), *unassigned)})
    if not classes or body.tax_class_code in classes:
        return ()
    return (
        f"ibsCbs.taxClassCode: A tabela oficial não tem a classificação {body.tax_class_code} para este"
        f" serviço, e sim {_listed(classes)}. Confira com a contabilidade.",
    )


def has_property(body: IbsCbsBody) -> bool:
    """Returns whether a body has a property; one without any field is not written."""
    return body.property not in (None, Property())


def _rows_of(service: NationalService, nbs: str | None) -> Sequence[ServiceIndicator]:
    """Returns the rows of a service with its NBS; all rows of the service if none has the NBS."""
    rows = indicators_of_service(service)
    return [row for row in rows if nbs and row.nbs == nbs] or rows


def _fitting(rows: Sequence[ServiceIndicator], body: IbsCbsBody) -> Sequence[ServiceIndicator]:
    """Returns the rows about properties, or about anything else, as the body has a property or none."""
    return [row for row in rows if is_of_property(row.indicator) is has_property(body)] or rows


def _of_class(rows: Sequence[ServiceIndicator], body: IbsCbsBody) -> Sequence[ServiceIndicator]:
    return [row for row in rows if row.tax_class == body.tax_class_code] or rows


def _usual_kind(rows: Sequence[ServiceIndicator]) -> str:
    counts = Counter(kind for kind, _ in sorted({(row.indicator[:_KIND], row.nbs or "") for row in rows}))
    return counts.most_common(1)[0][0]


def _described(indicator: OperationIndicator) -> str:
    return f"{indicator.operation}: {indicator.place}"


def _listed(codes: Sequence[str]) -> str:
    return " ou ".join(filter(None, (", ".join(codes[:-1]), codes[-1])))
