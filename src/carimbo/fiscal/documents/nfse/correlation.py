"""The operation indicator of a service, and its tax class, by the official correlation (Anexo VIII)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.service_facts import ServiceFacts
from carimbo.fiscal.documents.nfse.tax_bodies import IbsCbsBody
from carimbo.fiscal.documents.nfse.territory import AT_TAKERS, Territory
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Property
from carimbo.fiscal.tables.operation_indicators import OPERATION_INDICATORS, is_of_property
from carimbo.fiscal.tables.service_indicators import ServiceIndicator, indicators_of_service

USUAL_INDICATOR = "100301"
# By Anexo VII: movable goods that are delivered, and services on persons or goods that are not performed at
# the supplier's establishment, which their siblings that end in 01 mean.
_ELSEWHERE = frozenset({"010103", "030102", "050102"})
_KIND = len("0301")


@dataclass(frozen=True, slots=True)
class IndicatorChoice:
    """The indicator that a document gets."""

    code: str
    candidates: tuple[str, ...] = ()
    """All that the correlation has for the service, if the choice among them was ours."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Returns the sentence that names the candidates, if there are several."""
        if not self.candidates:
            return ()
        known = [OPERATION_INDICATORS[code] for code in self.candidates if code in OPERATION_INDICATORS]
        is_one_operation = len({indicator.operation for indicator in known}) == 1
        meanings = [one.place if is_one_operation else f"{one.operation}: {one.place}" for one in known]
        listed = "; ".join(f"{one.code} ({text})" for one, text in zip(known, meanings, strict=True))
        return (
            "ibsCbs.operationIndicator: A tabela oficial admite mais de um indicador para este serviço:"
            f" {listed}. A nota leva {self.code}, pelo local da prestação; se não é o certo, informe outro.",
        )


def choose_indicator(
    request: NfseRequest, body: IbsCbsBody, facts: ServiceFacts, territory: Territory
) -> IndicatorChoice:
    """Returns the caller's indicator, else the usual one if the correlation has it, else the correlation's.

    Among several, rows that also have the class of the body go first. The kind of operation (four digits) is
    that of a property if the body has one, else the kind with most rows; on a tie, the annex's first. The
    place of the service then tells the supplier's establishment from elsewhere.
    """
    if body.operation_indicator:
        return IndicatorChoice(body.operation_indicator)
    rows = _rows_of(facts)
    if not rows or any(row.indicator == USUAL_INDICATOR for row in rows):
        return IndicatorChoice(USUAL_INDICATOR)
    rows = [row for row in rows if row.tax_class == body.tax_class_code] or rows
    candidates = tuple(sorted({row.indicator for row in rows}))
    if len(candidates) == 1:
        return IndicatorChoice(candidates[0])
    kind = _kind_of(rows, is_on_property=has_property(body))
    siblings = [code for code in candidates if code.startswith(kind)]
    is_elsewhere = territory.service_city != territory.issuing_city or request.service_location == AT_TAKERS
    away = [code for code in siblings if code in _ELSEWHERE] if is_elsewhere else []
    return IndicatorChoice((away or siblings)[0], candidates)


def class_warnings(request: NfseRequest, body: IbsCbsBody, facts: ServiceFacts) -> tuple[str, ...]:
    """Returns a warning if the correlation does not have the class for the service.

    The annex is about operations within the country, so it is not asked about exports. Rows without NBS hold
    for any NBS.
    """
    unassigned = [row for row in indicators_of_service(facts.service) if row.nbs is None]
    classes = sorted({row.tax_class for row in (*_rows_of(facts), *unassigned)})
    is_exported = bool(request.service_country_code or request.result_country_code)
    if is_exported or not classes or body.tax_class_code in classes:
        return ()
    return (
        f"ibsCbs.taxClassCode: A tabela oficial não tem a classificação {body.tax_class_code} para este"
        f" serviço, e sim {_listed(classes)}. Confira com a contabilidade.",
    )


def has_property(body: IbsCbsBody) -> bool:
    """Tells whether a body has a property; one without any field is not written."""
    return body.property not in (None, Property())


def _rows_of(facts: ServiceFacts) -> Sequence[ServiceIndicator]:
    """Returns the rows of the service with its NBS; all rows of the service if none has the NBS."""
    rows = indicators_of_service(facts.service)
    return [row for row in rows if facts.nbs and row.nbs == facts.nbs] or rows


def _kind_of(rows: Sequence[ServiceIndicator], *, is_on_property: bool) -> str:
    counts = Counter(row.indicator[:_KIND] for row in rows)
    of_property = next((row.indicator[:_KIND] for row in rows if is_of_property(row.indicator)), None)
    return of_property if is_on_property and of_property else counts.most_common(1)[0][0]


def _listed(codes: Sequence[str]) -> str:
    return " ou ".join(filter(None, (", ".join(codes[:-1]), codes[-1])))
