"""The price of a transport service (`vPrest`)."""

from carimbo.fiscal.layouts.cte_v4.waybill import PriceComponent, ServicePrice
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.transport.request import MAX_COMPONENT_NAME_LENGTH, TransportRequest


def price_group(request: TransportRequest, default_component: str | None, findings: Findings) -> ServicePrice:
    """Returns the price with its components; without any, the default one has the whole price."""
    amount = request.service_amount
    components = [
        PriceComponent(
            name=_short_name(component.name, f"components[{position}].name", findings),
            amount=component.amount,
        )
        for position, component in enumerate(request.components)
    ]
    if not components and default_component:
        components = [PriceComponent(name=default_component, amount=amount)]
    receivable = request.receivable_amount
    return ServicePrice(
        amount=amount,
        net_amount=request.net_service_amount,
        receivable_amount=amount if receivable is None else receivable,
        components=tuple(components),
    )


def _short_name(name: str, path: str, findings: Findings) -> str:
    if len(name) <= MAX_COMPONENT_NAME_LENGTH:
        return name
    short = name[:MAX_COMPONENT_NAME_LENGTH].rstrip()
    findings.add_warning(f"{path}: O nome do componente é cortado em 15 caracteres: {short}.")
    return short
