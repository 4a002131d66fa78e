"""Examples of MDF-e for printing, which together have every block of the DAMDFE."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache

from carimbo.fiscal.layouts.dfe_v1.route import RouteState
from carimbo.fiscal.layouts.dfe_v1.units import CargoUnit, TransportUnit, UnitSeal
from carimbo.fiscal.layouts.mdfe_v3.cargo import (
    CargoInsurance,
    CargoInsuranceResponsible,
    CargoInsurer,
    CargoSeal,
    FullLoad,
    FullLoadPlace,
    MainProduct,
)
from carimbo.fiscal.layouts.mdfe_v3.documents import (
    CarriedDangerousGoods,
    CarriedManifest,
    ManifestedInvoice,
    ManifestedWaybill,
    PartialDelivery,
    PartialServiceInvoice,
    UnloadingCity,
)
from carimbo.fiscal.layouts.mdfe_v3.identification import LoadingCity
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest, ManifestModal, ManifestNotes
from carimbo.fiscal.layouts.mdfe_v3.modes import (
    ConvoyVessel,
    EmptyCargoUnit,
    EmptyTransportUnit,
    LoadingTerminal,
    ManifestAir,
    ManifestRail,
    ManifestWater,
    Train,
    UnloadingTerminal,
    Wagon,
)
from carimbo.fiscal.layouts.mdfe_v3.payment import FreightPayment, PaymentAccount, PaymentComponent
from carimbo.fiscal.layouts.mdfe_v3.road import (
    Ciot,
    Contractor,
    Driver,
    RoadCarrier,
    RoadSeal,
    RoadVehicle,
    RoadVehicleOwner,
    TollVoucher,
    TollVouchers,
    Trailer,
    TransportContract,
)
from unit.printing.manifests import (
    ISSUED_AT,
    LATER_LOADING,
    NFE,
    PAYMENT,
    SHIPPER,
    USUAL,
    file_of,
    invoice_key,
    manifest_key,
    of_letters,
    waybill_key,
    with_carrier,
    with_cities,
    with_identification,
    with_road,
    with_waybills,
)
from unit.printing.waybills import CNPJ

_UNITS = (
    TransportUnit(
        type="2",
        id="OPQ4R89",
        seals=(UnitSeal(number="LACRE1"), UnitSeal(number="LACRE2")),
        cargo_units=(CargoUnit(type="1", id="MSCU1234567", seals=(UnitSeal(number="LACRE3"),)),),
        apportioned_quantity=Decimal("12.5"),
    ),
)
_GASOLINE = CarriedDangerousGoods(
    un_number="1203",
    shipping_name="GASOLINA",
    risk_class="3",
    packing_group="II",
    quantity="1000 L",
    packages="10 TAMBORES",
)
_OWNER = RoadVehicleOwner(cpf="52998224725", rntrc="87654321", name="José da Silva Transportes", type="1")
_COMPANY_OWNER = RoadVehicleOwner(
    cnpj="33000167000101",
    rntrc="87654322",
    name="Locadora de Carretas SA",
    state_registration="110042490114",
    state="MG",
    type="2",
)
_FULL = with_road(
    with_cities(
        UnloadingCity(
            city_code="2927408",
            city="SALVADOR",
            waybills=(
                ManifestedWaybill(
                    access_key=waybill_key(3),
                    second_barcode="351112223330001810000100000123456789",
                    is_redelivery="1",
                    transport_units=_UNITS,
                    dangerous_goods=(_GASOLINE, CarriedDangerousGoods(un_number="ND", quantity="20 kg")),
                ),
                ManifestedWaybill(access_key=waybill_key(4)),
                ManifestedWaybill(access_key=waybill_key(5)),
            ),
        ),
        UnloadingCity(
            city_code="2910800",
            city="FEIRA DE SANTANA",
            waybills=(
                ManifestedWaybill(
                    access_key=waybill_key(6),
                    partial_delivery=PartialDelivery(
                        total_quantity=Decimal(100), delivered_quantity=Decimal("40.5")
                    ),
                    is_partial_service="1",
                    partial_invoices=(
                        PartialServiceInvoice(access_key=invoice_key(91)),
                        PartialServiceInvoice(access_key=invoice_key(92)),
                    ),
                ),
            ),
        ),
    ),
    carrier=RoadCarrier(
        rntrc="12345678",
        ciots=(Ciot(number="123456789012", cnpj=CNPJ), Ciot(number="210987654321", cpf="52998224725")),
        toll=TollVouchers(
            vouchers=(
                TollVoucher(
                    supplier_tax_id="99000111000165",
                    payer_cnpj=SHIPPER,
                    purchase_number="778899001",
                    amount=Decimal("412.60"),
                    type="01",
                ),
                TollVoucher(
                    supplier_tax_id="99000111000165",
                    payer_cpf="52998224725",
                    purchase_number="12345678901234567890",
                    amount=Decimal("18.75"),
                    type="04",
                ),
                TollVoucher(supplier_tax_id="99000111000165", amount=Decimal("7.05")),
            ),
            category="08",
        ),
        contractors=(
            Contractor(
                name="Indústria de Peças Modelo Ltda",
                cnpj=SHIPPER,
                contract=TransportContract(number="CT-2026-18", amount=Decimal("120000.01")),
            ),
            Contractor(name="Maria Aparecida da Conceição", cpf="52998224725"),
            Contractor(foreign_id="UY211234560018"),
        ),
        payments=(
            PAYMENT,
            FreightPayment(
                payer_foreign_id="AB123457890",
                components=(
                    PaymentComponent(type="99", amount=Decimal("10.02"), description="Estadia no porto"),
                ),
                contract_amount=Decimal("10.03"),
                high_performance="1",
                term="0",
                account=PaymentAccount(bank_code="001", branch="1234"),
            ),
            FreightPayment(
                payer_cpf="52998224725",
                components=(PaymentComponent(type="03", amount=Decimal("55.04")),),
                contract_amount=Decimal("55.05"),
                term="1",
                advance_amount=Decimal("5.06"),
                allows_early_advance="1",
                early_installments="2",
                account=PaymentAccount(ipef_tax_id="88999000000198"),
            ),
        ),
    ),
    vehicle=RoadVehicle(
        code="CAV-01",
        plate="ABC1D23",
        renavam="00123456789",
        tare_kg=8200,
        capacity_kg=14000,
        capacity_m3=60,
        owner=_OWNER,
        drivers=(
            Driver(name="José da Silva", cpf="52998224725"),
            Driver(name="Marcos Vinícius Lima", cpf="39053344705"),
            Driver(name="Ana Lúcia Ramos", cpf="11144477735"),
        ),
        wheel_type="03",
        body_type="00",
        state="SP",
    ),
    trailers=(
        Trailer(
            code="REB-7",
            plate="DEF2G34",
            renavam="00987654321",
            tare_kg=6100,
            capacity_kg=25300,
            capacity_m3=110,
            owner=_COMPANY_OWNER,
            body_type="04",
            state="MG",
        ),
        Trailer(plate="HIJ3K45", tare_kg=5900, capacity_kg=24700, body_type="05"),
    ),
    port_scheduling_code="AGD-2026-000118",
    seals=(RoadSeal(number="LR-1001"), RoadSeal(number="LR-1002")),
)
_EVERYTHING = replace(
    with_identification(
        _FULL,
        carrier_type="2",
        end_state="BA",
        loading_cities=(
            LoadingCity(city_code="3509502", city="CAMPINAS"),
            LoadingCity(city_code="3525904", city="JUNDIAI"),
        ),
        route=(RouteState(state="MG"), RouteState(state="ES")),
        green_channel="1",
    ),
    insurance=(
        *USUAL.insurance,
        CargoInsurance(
            responsible=CargoInsuranceResponsible(type="2", cnpj=SHIPPER),
            insurer=CargoInsurer(name="Mútua dos Transportadores", cnpj="88999000000279"),
            policy_number="DDR-11",
            endorsements=("77001",),
        ),
        CargoInsurance(responsible=CargoInsuranceResponsible(type="2", cpf="52998224725")),
    ),
    main_product=MainProduct(
        cargo_type="11",
        description="Combustíveis e lubrificantes",
        gtin="7891000315507",
        ncm="27101259",
        full_load=FullLoad(
            loading=FullLoadPlace(zipcode="13015001"),
            unloading=FullLoadPlace(latitude=Decimal("-12.971111"), longitude=Decimal("-38.510833")),
        ),
    ),
    totals=replace(_FULL.totals, unit="02", quantity=Decimal("18.4005")),
    seals=(CargoSeal(number="LC-2001"), CargoSeal(number="LC-2002"), CargoSeal(number="LC-2003")),
    notes=ManifestNotes(
        authority_notes="Regime especial 123/2026.",
        notes="Viagem com escolta. Não parar entre 22h e 5h.",
    ),
)
"""Every block of the road mode; the events of the tests add to it."""


def _by(code: str, content: ManifestAir | ManifestWater | ManifestRail) -> Manifest:
    other = replace(USUAL, mode=ManifestModal(content=content), insurance=(), main_product=None)
    return with_identification(other, mode=code)


_WATER = ManifestWater(
    irin="PPAA123456",
    vessel_type="03",
    vessel_code="BR-0001",
    vessel_name="Navio Alvorada do Atlântico",
    trip_number="0000026114",
    boarding_port="BRSSZ",
    destination_port="BRRIO",
)

MANIFESTS: dict[str, Manifest] = {
    "air": _by(
        "2",
        ManifestAir(
            nationality="PT",
            registration="GTDXYZ",
            flight_number="TAM1234",
            boarding_airport="SBGR",
            destination_airport="SBGL",
            flight_date=date(2026, 11, 15),
        ),
    ),
    "all-blocks": _EVERYTHING,
    "contingency": replace(
        with_identification(USUAL, emission_type="2"), id=f"MDFe{manifest_key(tp_emis='2')}"
    ),
    "homologation": with_identification(USUAL, environment="2"),
    "later-loading": LATER_LOADING,
    "letters": of_letters(with_identification(USUAL, environment="2")),
    "many-waybills": with_waybills(200),
    "own-cargo": with_carrier(
        with_identification(
            replace(
                with_cities(
                    UnloadingCity(
                        city_code="3304557",
                        city="RIO DE JANEIRO",
                        invoices=(
                            NFE,
                            ManifestedInvoice(
                                access_key=invoice_key(4),
                                second_barcode="351112223330001810000100000123456780",
                                is_redelivery="1",
                                transport_units=_UNITS,
                                dangerous_goods=(_GASOLINE,),
                            ),
                            ManifestedInvoice(access_key=invoice_key(5)),
                        ),
                    ),
                ),
                insurance=(),
                main_product=None,
            ),
            issuer_type="2",
            trip_starts_at=None,
        ),
        rntrc=None,
        ciots=(),
        contractors=(),
    ),
    "rail": replace(
        _by(
            "4",
            ManifestRail(
                train=Train(
                    prefix="K-77", departed_at=ISSUED_AT, origin="SPO", destination="RIO", wagon_count=3
                ),
                wagons=(
                    Wagon(
                        base_weight=Decimal("81.123"), real_weight=Decimal("81.456"), type="FHD",
                        series="101", number="12345671", sequence=1, useful_tons=Decimal("60.789"),
                    ),
                    Wagon(
                        base_weight=Decimal("82.123"), real_weight=Decimal("82.456"), series="102",
                        number="12345672", useful_tons=Decimal("61.789"),
                    ),
                    Wagon(
                        base_weight=Decimal("83.123"), real_weight=Decimal("83.456"), series="103",
                        number="12345673", sequence=3, useful_tons=Decimal("62.789"),
                    ),
                ),
            ),
        ),
        seals=(CargoSeal(number="LC-3001"),),
    ),
    "usual": USUAL,
    "water": replace(
        with_identification(
            with_cities(
                UnloadingCity(
                    city_code="3304557",
                    city="RIO DE JANEIRO",
                    manifests=(
                        CarriedManifest(access_key=manifest_key(number=41)),
                        CarriedManifest(
                            access_key=manifest_key(number=42),
                            is_redelivery="1",
                            transport_units=_UNITS,
                            dangerous_goods=(_GASOLINE,),
                        ),
                    ),
                )
            ),
            mode="3",
        ),
        mode=ManifestModal(
            content=replace(
                _WATER,
                transshipment_port="Porto de Angra dos Reis",
                navigation="1",
                loading_terminals=(LoadingTerminal(code="TERM0001", name="Terminal do Saboó"),),
                unloading_terminals=(UnloadingTerminal(code="TERM0002", name="Terminal do Caju"),),
                convoy=(
                    ConvoyVessel(code="BALSA01", name="Balsa Ibitinga"),
                    ConvoyVessel(code="BALSA02", name="Balsa Promissão"),
                ),
                empty_cargo_units=(EmptyCargoUnit(id="MSCU7654321", type="1"),),
                empty_transport_units=(EmptyTransportUnit(id="XYZ9Z99", type="2"),),
                mmsi="710000123",
            )
        ),
    ),
    "water-bare": _by("3", _WATER),
}  # fmt: skip
"""The examples, by name."""


@cache
def manifest_file(name: str) -> bytes:
    """Returns the XML of an example."""
    return file_of(MANIFESTS[name])
