"""Rules about the data of the modes of transport other than road."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.documents.cte.cargo_body import CargoUnitOfMeasure
from carimbo.fiscal.documents.cte.modes.air import AirBody
from carimbo.fiscal.documents.cte.modes.pipeline import PipelineBody
from carimbo.fiscal.documents.cte.modes.rail import MutualTrafficBody, RailBody, RailTraffic, RailwayRole
from carimbo.fiscal.documents.cte.modes.water import WaterBody
from carimbo.fiscal.documents.cte.rules.rule import (
    INTERMEDIATE_REDISPATCH,
    MULTIMODAL,
    WaybillCheck,
    WaybillInput,
)
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.keys import NFE, WAYBILL, invalid_keys
from carimbo.fiscal.transport.request import TransportMode
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE, manual

RULES: RuleBook[WaybillCheck] = RuleBook(
    # Another rule refuses every data of a mode in a complement.
    when=lambda document: document.request.modal.kind is not TransportMode.ROAD and not document.is_complement
)

AIR_DELIVERY_DATE, AIR_DIMENSIONS, AIR_HANDLING = "AIR_DELIVERY_DATE", "AIR_DIMENSIONS", "AIR_HANDLING"
AIR_WAYBILL_NUMBER, AFRMM_ABOVE_BASE = "AIR_WAYBILL_NUMBER", "AFRMM_ABOVE_BASE"
CONTAINER_NFE_KEY, CONTAINER_REPEATED = "CONTAINER_NFE_KEY", "CONTAINER_REPEATED"
PIPELINE_PERIOD = "PIPELINE_PERIOD"

_AIR, _WATER, _RAIL = manual("modal aéreo"), manual("modal aquaviário"), manual("modal ferroviário")
_PIPELINE = manual("modal dutoviário")
_WITH_CONTAINERS = (INTERMEDIATE_REDISPATCH, MULTIMODAL)
_EXPLAINED_IN_NOTES = frozenset({"06", "07", "08", "09", "99"})
_GAS = "1"
_LAST_OF_SERIAL, _CHECK_DIGIT_BASE = 10, 7


@RULES.rule(
    SCHEMA_CODE,
    manual("modal"),
    "O campo só vai com {}.",
    hint="Retire o campo, ou informe {}.",
)
def field_of_another_mode(document: WaybillInput) -> Iterator[At]:
    """Refuses fields that belong to another mode, or to another choice within the mode."""
    modal = document.request.modal
    if document.request.rntrc:
        yield At("rntrc", values=("modal.kind road",))
    if isinstance(modal, RailBody) and modal.mutual_traffic and modal.traffic is not RailTraffic.MUTUAL:
        yield At("modal.mutualTraffic", values=("modal.traffic mutual",))
    if isinstance(modal, PipelineBody) and modal.contract_type and modal.duct_class != _GAS:
        yield At("modal.contractType", values=("modal.ductClass 1 (gasoduto)",))


@RULES.rule(
    AIR_WAYBILL_NUMBER,
    _AIR,
    "O dígito verificador do conhecimento aéreo não é o resto do número de série dividido por sete.",
    hint="Confira modal.airWaybillNumber.",
    severity=Severity.WARNS,
)
def check_digit_of_the_air_waybill(document: WaybillInput) -> At | None:
    """Warns of a wrong check digit: three digits of the airline, seven of the series, and the digit."""
    modal = document.request.modal
    if not isinstance(modal, AirBody) or modal.air_waybill_number is None:
        return None
    number = modal.air_waybill_number
    expected = int(number[3:_LAST_OF_SERIAL]) % _CHECK_DIGIT_BASE
    return None if int(number[-1]) == expected else At("modal.airWaybillNumber", f"Esperado: {expected}.")


@RULES.rule(
    AIR_DELIVERY_DATE,
    _AIR,
    "A data prevista da entrega é anterior à emissão.",
    hint="Corrija modal.expectedDeliveryDate.",
    severity=Severity.WARNS,
)
def delivery_before_the_issue(document: WaybillInput) -> At | None:
    """Warns of a delivery that is expected before the document is issued."""
    modal = document.request.modal
    if not isinstance(modal, AirBody) or modal.expected_delivery_date is None:
        return None
    is_before = modal.expected_delivery_date < document.identification.issued_at.date()
    return At("modal.expectedDeliveryDate") if is_before else None


@RULES.rule(
    AIR_DIMENSIONS,
    _AIR,
    "A carga aérea sem dimensões tem a cubagem em metros cúbicos.",
    hint="Informe modal.dimensions, ou uma quantidade em M3 em cargo.quantities.",
    severity=Severity.WARNS,
)
def cargo_without_dimensions(document: WaybillInput) -> At | None:
    """Warns of cargo with neither dimensions nor volume."""
    modal, cargo = document.request.modal, document.request.cargo
    if not isinstance(modal, AirBody) or modal.dimensions or cargo is None:
        return None
    has_volume = any(quantity.unit is CargoUnitOfMeasure.M3 for quantity in cargo.quantities)
    return None if has_volume else At("modal.dimensions")


@RULES.rule(
    AIR_HANDLING,
    _AIR,
    "Os códigos de manuseio 06 a 09 e 99 são especificados nas observações, que faltam.",
    hint="Informe notes, ou corrija modal.handlingCodes.",
    severity=Severity.WARNS,
)
def handling_without_notes(document: WaybillInput) -> At | None:
    """Warns of handling codes that refer to notes, if there are none."""
    modal = document.request.modal
    if not isinstance(modal, AirBody) or document.request.notes:
        return None
    return None if _EXPLAINED_IN_NOTES.isdisjoint(modal.handling_codes) else At("modal.handlingCodes")


@RULES.rule(
    "526",
    _WATER,
    "O redespacho intermediário e o serviço vinculado a multimodal por água têm os contêineres da carga.",
    hint="Informe modal.containers.",
)
def containers_missing(document: WaybillInput) -> At | None:
    """Refuses a service between carriers by water without containers."""
    modal = document.request.modal
    if not isinstance(modal, WaterBody) or modal.containers:
        return None
    return At("modal.containers") if document.service_type in _WITH_CONTAINERS else None


@RULES.rule(
    "526", _WATER, "Só o redespacho intermediário e o serviço vinculado a multimodal têm contêineres."
)
def containers_out_of_place(document: WaybillInput) -> At | None:
    """Refuses containers in a service from sender to recipient, whose documents have units of cargo."""
    modal = document.request.modal
    if not isinstance(modal, WaterBody) or not modal.containers:
        return None
    return None if document.service_type in _WITH_CONTAINERS else At("modal.containers")


@RULES.rule(
    CONTAINER_REPEATED,
    _WATER,
    "O mesmo contêiner está mais de uma vez no CT-e.",
    hint="Junte as NF-e do contêiner, ou informe o contêiner certo.",
)
def repeated_container(document: WaybillInput) -> Iterator[At]:
    """Refuses a container that is listed twice."""
    modal = document.request.modal
    if not isinstance(modal, WaterBody):
        return
    seen: Counter[str] = Counter()
    for position, container in enumerate(modal.containers):
        seen[container.id] += 1
        if seen[container.id] > 1:
            yield At(f"modal.containers[{position}].id")


@RULES.rule(
    CONTAINER_NFE_KEY,
    _WATER,
    "A chave da NF-e do contêiner é inválida.",
    hint="Confira a chave na NF-e.",
)
def invoices_of_containers(document: WaybillInput) -> Iterator[At]:
    """Refuses keys that no NF-e can have, with the reason."""
    modal = document.request.modal
    if not isinstance(modal, WaterBody):
        return iter(())
    keys = (
        (f"modal.containers[{container}].nfes[{position}].accessKey", nfe.access_key)
        for container, body in enumerate(modal.containers)
        for position, nfe in enumerate(body.nfes)
    )
    return invalid_keys(keys, NFE, document.today)


@RULES.rule(
    AFRMM_ABOVE_BASE,
    "Lei 10.893/2004, art. 6º",
    "O AFRMM é maior que a sua base.",
    hint="Corrija modal.afrmmBase ou modal.afrmmAmount.",
    severity=Severity.WARNS,
)
def surcharge_above_its_base(document: WaybillInput) -> At | None:
    """Warns of a surcharge above the freight that it is a part of."""
    modal = document.request.modal
    if not isinstance(modal, WaterBody):
        return None
    is_above = (modal.afrmm_amount or Decimal(0)) > (modal.afrmm_base or Decimal(0))
    return At("modal.afrmmAmount") if is_above else None


def _mutual_traffic(document: WaybillInput) -> MutualTrafficBody | None:
    modal = document.request.modal
    return modal.mutual_traffic if isinstance(modal, RailBody) else None


@RULES.rule("582", _RAIL, "O tráfego mútuo tem os dados das ferrovias que o dividem.")
def mutual_traffic_missing(document: WaybillInput) -> At | None:
    """Refuses mutual traffic without its data."""
    modal = document.request.modal
    is_mutual = isinstance(modal, RailBody) and modal.traffic is RailTraffic.MUTUAL
    return At("modal.mutualTraffic") if is_mutual and _mutual_traffic(document) is None else None


@RULES.rule("583", _RAIL, "A ferrovia de origem fatura, e é ela que emite o CT-e.")
def billed_by_the_origin(document: WaybillInput) -> At | None:
    """Refuses a CT-e of the last railway if the first one bills the freight."""
    mutual = _mutual_traffic(document)
    if mutual is None or mutual.billed_by is not RailwayRole.ORIGIN:
        return None
    return None if mutual.issued_by is RailwayRole.ORIGIN else At("modal.mutualTraffic.issuedBy")


@RULES.rule("584", _RAIL, "A ferrovia de destino fatura, e o CT-e refere o da ferrovia de origem.")
def origin_waybill_missing(document: WaybillInput) -> At | None:
    """Refuses a freight that the last railway bills without the CT-e of the first one."""
    mutual = _mutual_traffic(document)
    if mutual is None or mutual.billed_by is not RailwayRole.DESTINATION:
        return None
    return None if mutual.origin_access_key else At("modal.mutualTraffic.originAccessKey")


@RULES.rule("842", _RAIL, "A chave do CT-e da ferrovia de origem é inválida.")
def valid_origin_key(document: WaybillInput) -> Iterator[At]:
    """Refuses a key that no CT-e can have, with the reason."""
    mutual = _mutual_traffic(document)
    key = mutual.origin_access_key if mutual else None
    keys = [("modal.mutualTraffic.originAccessKey", key)] if key else []
    return invalid_keys(keys, WAYBILL, document.today)


@RULES.rule(
    PIPELINE_PERIOD,
    _PIPELINE,
    "O fim da prestação é anterior ao seu início.",
    hint="Corrija modal.startDate ou modal.endDate.",
)
def period_of_the_pipeline(document: WaybillInput) -> At | None:
    """Refuses a period that ends before it starts."""
    modal = document.request.modal
    if not isinstance(modal, PipelineBody) or modal.start_date is None or modal.end_date is None:
        return None
    return At("modal.endDate") if modal.end_date < modal.start_date else None
