"""Examples of CT-e OS for printing: one of each service, and variations that have every block."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from functools import cache
from typing import Any

from carimbo.fiscal.layouts.cte_v4.complement import AuthorityObservation, TakerObservation
from carimbo.fiscal.layouts.cte_v4.service import FreightBill, FreightBilling, FreightInstallment
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms00, ServiceIcms60
from carimbo.fiscal.layouts.cte_v4.waybill import ComplementedWaybill, PriceComponent, ServicePrice
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.parties import OsIssuer, OsTaker
from carimbo.fiscal.layouts.cteos_v4.road import Charter, OsRoad, Vehicle, VehicleOwner
from carimbo.fiscal.layouts.cteos_v4.service import (
    GtveComponent,
    OsMode,
    OsService,
    ReferencedGtve,
    ReferencedTicket,
    ReplacedOsWaybill,
    ServiceDescription,
    ServiceQuantity,
    TripInsurance,
)
from carimbo.fiscal.layouts.cteos_v4.taxes import OsFederalTaxes, OsTaxes
from carimbo.fiscal.layouts.cteos_v4.waybill import OsComplement, OsWaybill
from carimbo.fiscal.layouts.dfe_v1.route import RouteState
from unit.printing.waybill_examples import IBS_CBS, ICMS, STATE_SHARE
from unit.printing.waybills import ADDRESS, CNPJ, LETTERS_CNPJ, USUAL, file_of, key_of

ISSUED_AT = datetime(2026, 11, 14, 10, 0, 41, tzinfo=timezone(timedelta(hours=-3)))
TAF, STATE_REGISTRATION = "123456789012", "1234567890123456789012345"


def os_key(number: int = 7, tax_id: str = CNPJ, tp_emis: str = "1") -> str:
    """Returns the key of a CT-e OS of the issue month."""
    return key_of(tax_id, "67", number, tp_emis=tp_emis)


PASSENGERS = OsWaybill(
    id=f"CTe{os_key()}",
    identification=OsIdentification(
        state_code="35",
        numeric_code="87654322",
        cfop="6357",
        nature="PRESTACAO DE SERVICO DE TRANSPORTE",
        model="67",
        series=1,
        number=7,
        issued_at=ISSUED_AT,
        print_format="1",
        emission_type="1",
        check_digit=os_key()[-1],
        environment="1",
        purpose="0",
        issuing_process="0",
        software_version="carimbo",
        sent_from_city_code="3550308",
        sent_from_city="São Paulo",
        sent_from_state="SP",
        mode="01",
        service_type="6",
        taker_contribution="9",
        start_city_code="3550308",
        start_city="São Paulo",
        start_state="SP",
        end_city_code="2925303",
        end_city="Porto Seguro",
        end_state="BA",
        route=(RouteState(state="MG"),),
    ),
    issuer=OsIssuer(
        cnpj=CNPJ,
        state_registration="111222330112",
        name="Viação Modelo Turismo Ltda",
        address=USUAL.issuer.address,
        tax_regime="3",
    ),
    taker=OsTaker(
        cnpj="44455566000183",
        state_registration="244555660118",
        name="Agência de Viagens Modelo Ltda",
        phone="1932345678",
        address=ADDRESS,
    ),
    price=ServicePrice(
        amount=Decimal(8500),
        receivable_amount=Decimal("8065.50"),
        components=(
            PriceComponent(name="FRETAMENTO", amount=Decimal("8350.10")),
            PriceComponent(name="PEDÁGIO", amount=Decimal("149.90")),
        ),
    ),
    taxes=OsTaxes(
        icms=ServiceIcms00(base=Decimal("8500.01"), rate=Decimal(12), amount=Decimal(1020)),
        federal_taxes=OsFederalTaxes(
            pis=Decimal("55.25"), cofins=Decimal("255.01"), ir=Decimal("85.02"), inss=Decimal(0),
            csll=Decimal("85.03"),
        ),
    ),
    service=OsService(
        service=ServiceDescription(
            description="Fretamento eventual de ônibus", quantity=ServiceQuantity(quantity=Decimal(46))
        ),
        insurance=(
            TripInsurance(responsible="4", insurer_name="Seguradora Nacional SA", policy_number="AP-778899"),
        ),
        mode=OsMode(
            mode=OsRoad(
                taf=TAF,
                vehicle=Vehicle(plate="ABC1D23", renavam="12345678901", state="SP"),
                charter=Charter(type="1", trip_at=ISSUED_AT + timedelta(days=20)),
            )
        ),
    ),
)  # fmt: skip
"""Passengers of a company, chartered for one trip between states, in production."""


def with_identification(waybill: OsWaybill, **changes: Any) -> OsWaybill:
    """Returns the CT-e OS with another identification."""
    return replace(waybill, identification=replace(waybill.identification, **changes))


def with_service(waybill: OsWaybill, **changes: Any) -> OsWaybill:
    """Returns the CT-e OS with another service."""
    assert waybill.service
    return replace(waybill, service=replace(waybill.service, **changes))


def with_taxes(waybill: OsWaybill, **changes: Any) -> OsWaybill:
    """Returns the CT-e OS with other taxes."""
    return replace(waybill, taxes=replace(waybill.taxes, **changes))


def described(waybill: OsWaybill, description: str, quantity: int) -> OsWaybill:
    """Returns the CT-e OS with another description of its service."""
    content = ServiceQuantity(quantity=Decimal(quantity))
    return with_service(waybill, service=ServiceDescription(description=description, quantity=content))


def guide(number: int) -> ReferencedGtve:
    """Returns a guide with components of several kinds."""
    return ReferencedGtve(
        access_key=key_of(model="64", number=number),
        components=(
            GtveComponent(type="1", amount=Decimal("120.01")),
            GtveComponent(type="3", amount=Decimal("30.02")),
            GtveComponent(type="6", amount=Decimal("5.03"), description="Escolta"),
        ),
    )


def paper_ticket(number: int) -> ReferencedTicket:
    """Returns a ticket on paper."""
    return ReferencedTicket(
        number=f"55{number:06}", series="1", subseries="2", issue_date=date(2026, 11, 13),
        amount=Decimal("189.90"),
    )  # fmt: skip


def electronic_ticket(number: int) -> ReferencedTicket:
    """Returns a BP-e."""
    return ReferencedTicket(bpe_access_key=key_of(model="63", number=number))


_WITHOUT_ROUTE = with_identification(
    PASSENGERS, start_city_code=None, start_city=None, start_state=None, end_city_code=None, end_city=None,
    end_state=None, route=(),
)  # fmt: skip
VALUABLES = with_service(
    described(
        with_identification(_WITHOUT_ROUTE, service_type="7", cfop="5353"), "Transporte de numerário", 12
    ),
    insurance=(),
    mode=None,
    gtves=(guide(31), guide(32)),
)
BAGGAGE = replace(
    with_service(
        described(with_identification(_WITHOUT_ROUTE, service_type="8"), "Excesso de bagagem", 3),
        insurance=(),
        mode=OsMode(mode=OsRoad(state_agency_registration=STATE_REGISTRATION)),
        referenced_documents=(electronic_ticket(41), paper_ticket(42), electronic_ticket(43)),
    ),
    taker=None,
)


def with_tickets(count: int) -> OsWaybill:
    """Returns excess baggage of many tickets on paper."""
    tickets = tuple(paper_ticket(number) for number in range(1, count + 1))
    return with_service(BAGGAGE, referenced_documents=tickets)


# A CT-e OS has no ICMS that the taker withholds.
_ICMS = {name: icms for name, icms in ICMS.items() if not isinstance(icms, ServiceIcms60)}
_OWNER = VehicleOwner(
    cpf="52998224725",
    taf="210987654321",
    name="José da Silva Transportes",
    state_registration="110042490114",
    state="MG",
    type="1",
)
_EVERYTHING = replace(
    with_service(
        PASSENGERS,
        referenced_documents=(electronic_ticket(51), paper_ticket(52)),
        insurance=(
            TripInsurance(responsible="4", insurer_name="Seguradora Nacional SA", policy_number="AP-778899"),
            TripInsurance(responsible="5"),
            TripInsurance(responsible="5", insurer_name="Mútua dos Viajantes", policy_number="00012345"),
        ),
        mode=OsMode(
            mode=OsRoad(
                state_agency_registration=STATE_REGISTRATION,
                vehicle=Vehicle(plate="ABC1D23", renavam="123456789", owner=_OWNER, state="MG"),
                charter=Charter(type="2"),
            )
        ),
        substitution=ReplacedOsWaybill(access_key=os_key(5)),
        canceled_access_key=os_key(6),
        billing=FreightBilling(
            bill=FreightBill(
                number="FAT-1", original_amount=Decimal("8500.10"), discount=Decimal("0.20"),
                net_amount=Decimal("8499.90"),
            ),
            installments=(
                FreightInstallment(number="001", due_date=date(2026, 12, 14), amount=Decimal("8499.91")),
            ),
        ),
        gtves=(guide(33),),
    ),
    complement=OsComplement(
        transport_characteristic="EXECUTIVO",
        service_characteristic="COM GUIA",
        issued_by="Ana Souza",
        notes="Embarque no terminal do Tietê, plataforma 12.",
        observations=(TakerObservation(name="Pedido", value="4500012345"),),
        authority_observations=(AuthorityObservation(name="Lei", value="Lei da Transparência"),),
    ),
    price=replace(PASSENGERS.price, net_amount=Decimal("8495.51")),
    taxes=OsTaxes(
        icms=_ICMS["icms-20"],
        approximate_taxes=Decimal("210.09"),
        authority_notes="Crédito outorgado conforme o Convênio 106/96.",
        state_share=STATE_SHARE,
        federal_taxes=OsFederalTaxes(inss=Decimal("77.01")),
        ibs_cbs=IBS_CBS,
        total=Decimal("8500.03"),
    ),
)  # fmt: skip

OS_WAYBILLS: dict[str, OsWaybill] = {
    "all-blocks": _EVERYTHING,
    "complement": replace(
        with_identification(PASSENGERS, purpose="1"),
        service=None,
        complemented=tuple(ComplementedWaybill(access_key=os_key(number)) for number in (3, 4)),
    ),
    "excess-baggage": BAGGAGE,
    "homologation": with_identification(PASSENGERS, environment="2"),
    "letters": replace(
        with_identification(PASSENGERS, environment="2"),
        id=f"CTe{os_key(tax_id=LETTERS_CNPJ)}",
        issuer=replace(PASSENGERS.issuer, cnpj=LETTERS_CNPJ),
    ),
    "many-tickets": with_tickets(300),
    "passengers": PASSENGERS,
    "route-of-many-states": with_identification(
        PASSENGERS, route=tuple(RouteState(state=state) for state in ("MG", "GO", "TO", "MA", "PI", "CE"))
    ),
    "substitution": with_service(
        with_identification(PASSENGERS, purpose="3"),
        substitution=ReplacedOsWaybill(access_key=os_key(5)),
    ),
    "succeeds-canceled": with_service(VALUABLES, canceled_access_key=os_key(6)),
    "svc": replace(
        with_identification(
            PASSENGERS,
            emission_type="8",
            contingency_started_at=ISSUED_AT,
            contingency_reason="Autorizador fora do ar",
        ),
        id=f"CTe{os_key(tp_emis='8')}",
    ),
    "valuables": VALUABLES,
    "valuables-by-air": with_identification(VALUABLES, mode="02"),
    **{name: with_taxes(PASSENGERS, icms=icms) for name, icms in _ICMS.items()},
}
"""The examples, by name."""


@cache
def os_waybill_file(name: str) -> bytes:
    """Returns the XML of an example."""
    return file_of(OS_WAYBILLS[name])
