"""Examples of CT-e for printing, which together have every block of the DACTE."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache

from carimbo.fiscal.layouts.cte_v4.cargo import (
    Cargo,
    CargoDocuments,
    CargoQuantity,
    CarriedPaperInvoice,
    ContentDeclaration,
    OtherCargoDocument,
)
from carimbo.fiscal.layouts.cte_v4.complement import (
    AuthorityObservation,
    DeliveryForecast,
    Flow,
    InInterval,
    InPeriod,
    Stop,
    TakerObservation,
    WaybillComplement,
    WithDate,
    WithoutDate,
    WithoutTime,
    WithTime,
)
from carimbo.fiscal.layouts.cte_v4.parties import TakerByRole
from carimbo.fiscal.layouts.cte_v4.road import CollectionOrder, CollectionOrderIssuer, Road
from carimbo.fiscal.layouts.cte_v4.service import (
    CarriedVehicle,
    FreightBill,
    FreightBilling,
    FreightInstallment,
    Globalization,
    LinkedService,
    MultimodalWaybill,
    PreviousDocuments,
    PreviousIssuer,
    PreviousPaper,
    PreviousTransport,
    PreviousWaybill,
    ReplacedWaybill,
    WaybillMode,
)
from carimbo.fiscal.layouts.cte_v4.taxes import (
    EndStateShare,
    FreightIbsCbs,
    ServiceCbs,
    ServiceIcms,
    ServiceIcms00,
    ServiceIcms20,
    ServiceIcms45,
    ServiceIcms60,
    ServiceIcms90,
    ServiceIcmsOfAnotherState,
    ServiceIcmsOfSimples,
    ServiceTaxedByRate,
    ServiceTaxes,
)
from carimbo.fiscal.layouts.cte_v4.waybill import ComplementedWaybill, PriceComponent, ServicePrice, Waybill
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, RateReduction, StateIbs
from carimbo.fiscal.layouts.dfe_v1.units import CargoUnit, TransportUnit, UnitSeal
from unit.printing.waybill_modes import BY_OTHER_MODES
from unit.printing.waybills import (
    CNPJ,
    DISPATCHER,
    NFE,
    RECEIVER,
    RECIPIENT,
    TAKER,
    USUAL,
    file_of,
    key_of,
    of_letters,
    with_delivery,
    with_identification,
    with_invoices,
    with_service,
    with_taxes,
)

IBS_CBS = FreightIbsCbs(
    cst="000",
    tax_class="000001",
    by_rate=ServiceTaxedByRate(
        base=Decimal("880.00"),
        state=StateIbs(rate=Decimal("0.1"), amount=Decimal("0.88")),
        city=CityIbs(rate=Decimal("0.05"), amount=Decimal("0.44")),
        ibs_amount=Decimal("1.32"),
        cbs=ServiceCbs(
            rate=Decimal("0.9"),
            reduction=RateReduction(rate=Decimal(60), effective_rate=Decimal("0.36")),
            amount=Decimal("3.17"),
        ),
    ),
)
STATE_SHARE = EndStateShare(
    base=Decimal("1000.02"),
    fcp_rate=Decimal(2),
    internal_rate=Decimal(20),
    interstate_rate=Decimal("12.5"),
    fcp_amount=Decimal("20.01"),
    destination_amount=Decimal("80.02"),
    origin_amount=Decimal("0.03"),
)
ICMS: dict[str, ServiceIcms] = {
    "icms-00": ServiceIcms00(base=Decimal("1000.01"), rate=Decimal(12), amount=Decimal("120.01")),
    "icms-20": ServiceIcms20(
        base_reduction=Decimal(20), base=Decimal("800.01"), rate=Decimal(12), amount=Decimal("96.02"),
        exempted_amount=Decimal("24.03"), benefit_code="SP012345",
    ),
    "icms-40": ServiceIcms45(cst="40", exempted_amount=Decimal("120.04"), benefit_code="SP012346"),
    "icms-41": ServiceIcms45(cst="41"),
    "icms-51": ServiceIcms45(cst="51"),
    "icms-60": ServiceIcms60(
        base=Decimal("1000.05"), amount=Decimal("120.06"), rate=Decimal(12), credit_amount=Decimal("24.07")
    ),
    "icms-90": ServiceIcms90(
        base_reduction=Decimal(10), base=Decimal("900.01"), rate=Decimal(18), amount=Decimal("162.02"),
        credit_amount=Decimal("32.08"),
    ),
    "icms-other-state": ServiceIcmsOfAnotherState(
        base_reduction=Decimal(5), base=Decimal("950.01"), rate=Decimal(7), amount=Decimal("66.51")
    ),
    "icms-simples": ServiceIcmsOfSimples(),
}  # fmt: skip
_UNITS = (
    TransportUnit(
        type="1",
        id="ABC1D23",
        seals=(UnitSeal(number="LACRE1"), UnitSeal(number="LACRE2")),
        cargo_units=(CargoUnit(type="3", id="PAL0001", seals=(UnitSeal(number="LACRE3"),)),),
        apportioned_quantity=Decimal("12.5"),
    ),
)
_PAPER = CarriedPaperInvoice(
    waybill_number="ROM-77",
    order_number="PED-88",
    model="01",
    series="2",
    number="4321",
    issue_date=date(2026, 11, 13),
    icms_base=Decimal("10.01"),
    icms_amount=Decimal("1.22"),
    st_base=Decimal("20.03"),
    st_amount=Decimal("2.44"),
    goods_amount=Decimal("300.05"),
    amount=Decimal("306.06"),
    cfop="5102",
    weight_kg=Decimal("7.5"),
    suframa_pin="123456",
    transport_units=_UNITS,
)
_OTHERS = (
    OtherCargoDocument(
        type="00",
        description="Declaração do remetente",
        number="55",
        issue_date=date(2026, 11, 12),
        amount=Decimal("1234.56"),
        expected_delivery_date=date(2026, 11, 20),
    ),
    OtherCargoDocument(type="99", description="Romaneio de carga"),
    OtherCargoDocument(type="59", number="000123"),
)
_PREVIOUS = PreviousTransport(
    issuers=(
        PreviousIssuer(
            cnpj="33000167000101",
            state_registration="110042490114",
            state="SP",
            name="Transportes do Litoral Ltda",
            documents=(
                PreviousDocuments(
                    papers=(
                        PreviousPaper(
                            type="08", series="1", subseries="2", number="99", issue_date=date(2026, 11, 10)
                        ),
                    )
                ),
                PreviousDocuments(
                    access_keys=tuple(
                        PreviousWaybill(access_key=key_of("33000167000101", number=number))
                        for number in (41, 42, 43)
                    )
                ),
            ),
        ),
        PreviousIssuer(
            cpf="52998224725",
            name="José da Silva",
            documents=(
                PreviousDocuments(
                    access_keys=(PreviousWaybill(access_key=key_of("00052998224725", number=5, series=920)),)
                ),
            ),
        ),
    )
)
_COMPLEMENT = WaybillComplement(
    transport_characteristic="FRACIONADO",
    service_characteristic="ENTREGA EXPRESSA",
    issued_by="Ana Souza",
    flow=Flow(
        origin="CPQ",
        stops=(Stop(name="SAO"), Stop(name="VOLTA REDONDA")),
        destination="RIO",
        route="R-12",
    ),
    delivery=DeliveryForecast(
        date=WithDate(mode="2", day=date(2026, 11, 20)), time=WithTime(mode="3", time="08:30:00")
    ),
    freight_origin="Campinas",
    freight_destination="Rio de Janeiro",
    notes="Carga frágil. Não empilhar mais de três caixas.",
    observations=(TakerObservation(name="Pedido", value="4500012345"),),
    authority_observations=(AuthorityObservation(name="Lei", value="Lei da Transparência"),),
)
_EVERYTHING = replace(
    with_identification(
        with_service(
            USUAL,
            cargo=Cargo(
                amount=Decimal("50000.00"),
                predominant_product="Peças para motores",
                other_characteristics="Caixas de papelão",
                quantities=(
                    CargoQuantity(unit="02", measure_type="PESO BRUTO", quantity=Decimal("1.5004")),
                    CargoQuantity(unit="01", measure_type="PESO BASE DE CÁLCULO", quantity=Decimal("1600.5")),
                    CargoQuantity(unit="01", measure_type="PESO AFERIDO", quantity=Decimal("1498.25")),
                    CargoQuantity(unit="00", measure_type="CUBAGEM", quantity=Decimal("5.3335")),
                    CargoQuantity(unit="03", measure_type="CAIXAS", quantity=Decimal(24)),
                    CargoQuantity(unit="03", measure_type="PALETES", quantity=Decimal(2)),
                    CargoQuantity(unit="04", measure_type="LITRAGEM", quantity=Decimal("33.7")),
                    CargoQuantity(unit="01", measure_type="PESO CUBADO", quantity=Decimal("1601.6")),
                ),
                insured_amount=Decimal("49999.99"),
            ),
            previous_documents=_PREVIOUS,
            mode=WaybillMode(
                content=Road(
                    rntrc="12345678",
                    collection_orders=(
                        CollectionOrder(
                            series="A1",
                            number="778899",
                            issue_date=date(2026, 11, 11),
                            issuer=CollectionOrderIssuer(
                                cnpj=CNPJ, code="F01", state_registration="111222330112", state="SP",
                                phone="1133334444",
                            ),
                        ),
                    ),
                )
            ),
            new_vehicles=(
                CarriedVehicle(
                    chassis="9BWZZZ377VT004251", color_code="0012", color="Azul", model_code="123456",
                    unit_value=Decimal("98000.01"), freight_amount=Decimal("1500.02"),
                ),
            ),
            billing=FreightBilling(
                bill=FreightBill(
                    number="FAT-1", original_amount=Decimal("1000.10"), discount=Decimal("0.20"),
                    net_amount=Decimal("999.90"),
                ),
                installments=(
                    FreightInstallment(
                        number="001", due_date=date(2026, 12, 14), amount=Decimal("999.91")
                    ),
                ),
            ),
        ),
        taker=TAKER,
        receiver_picks_up="0",
        pickup_details="Retirar na filial até as 18h",
        service_type="2",
    ),
    complement=_COMPLEMENT,
    dispatcher=DISPATCHER,
    receiver=RECEIVER,
    recipient=replace(RECIPIENT, suframa_registration="123456789"),
    price=ServicePrice(
        amount=Decimal(1000),
        net_amount=Decimal("995.51"),
        receivable_amount=Decimal("997.50"),
        components=tuple(
            PriceComponent(name=f"PARCELA {number}", amount=Decimal(100 + number)) for number in range(1, 7)
        ),
    ),
    taxes=ServiceTaxes(
        icms=ICMS["icms-20"],
        approximate_taxes=Decimal("210.09"),
        authority_notes="Crédito outorgado conforme o Convênio 106/96.",
        state_share=STATE_SHARE,
        ibs_cbs=IBS_CBS,
        total=Decimal("1000.03"),
    ),
)  # fmt: skip

WAYBILLS: dict[str, Waybill] = {
    "all-blocks": _EVERYTHING,
    "complement": replace(
        with_identification(USUAL, purpose="1"),
        service=None,
        complemented=tuple(ComplementedWaybill(access_key=key_of(number=number)) for number in (3, 4)),
    ),
    "content-declarations": with_service(
        USUAL, documents=CargoDocuments(dces=(ContentDeclaration(access_key=key_of(model="99")),))
    ),
    "five-invoices": with_invoices(5),
    "globalized": with_service(
        with_identification(USUAL, is_globalized="1"),
        globalized=Globalization(notes="Resolução 2.833/2017: transporte para vários destinatários"),
    ),
    "homologation": with_identification(USUAL, environment="2"),
    "letters": of_letters(with_identification(USUAL, environment="2")),
    "many-invoices": with_invoices(60),
    "multimodal": with_service(
        with_identification(USUAL, service_type="4"),
        linked_service=LinkedService(access_keys=(MultimodalWaybill(access_key=key_of(number=66)),)),
    ),
    "other-documents": with_service(USUAL, documents=CargoDocuments(others=_OTHERS)),
    "paper-invoices": with_service(
        USUAL, documents=CargoDocuments(papers=(_PAPER, replace(_PAPER, number="4322")))
    ),
    "period-of-delivery": with_delivery(
        InPeriod(start_date=date(2026, 11, 20), end_date=date(2026, 11, 25)),
        InInterval(start_time="08:00:00", end_time="18:00:00"),
    ),
    "substitution": with_service(
        with_identification(USUAL, purpose="3"),
        substitution=ReplacedWaybill(access_key=key_of(number=5), changes_taker="1"),
    ),
    "svc": replace(with_identification(USUAL, emission_type="8"), id=f"CTe{key_of(tp_emis='8')}"),
    "undated-delivery": with_delivery(WithoutDate(), WithoutTime()),
    "units-of-transport": with_service(
        USUAL,
        documents=CargoDocuments(
            nfes=(
                NFE,
                replace(
                    NFE,
                    suframa_pin="654321",
                    expected_delivery_date=date(2026, 11, 21),
                    cargo_units=_UNITS[0].cargo_units,
                    transport_units=_UNITS,
                ),
                replace(NFE, access_key=key_of("00052998224725", "55", 9, 920)),
            )
        ),
    ),
    "usual": USUAL,
    "without-parties": with_service(
        with_identification(
            replace(USUAL, sender=None, recipient=None, dispatcher=DISPATCHER), taker=TakerByRole(role="1")
        ),
        documents=None,
    ),
    **BY_OTHER_MODES,
    **{name: with_taxes(USUAL, icms=icms) for name, icms in ICMS.items()},
}
"""The examples, by name."""


@cache
def waybill_file(name: str) -> bytes:
    """Returns the XML of an example."""
    return file_of(WAYBILLS[name])
