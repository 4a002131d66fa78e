"""CT-e for printing: a usual one, and functions that change it."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.cte_v4.cargo import Cargo, CargoDocuments, CargoQuantity, CarriedInvoice
from carimbo.fiscal.layouts.cte_v4.complement import DeliveryForecast, WaybillComplement
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.parties import (
    CargoDispatcher,
    CargoReceiver,
    CargoRecipient,
    CargoSender,
    CarrierAddress,
    OtherTaker,
    TakerByRole,
    WaybillAddress,
    WaybillIssuer,
)
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.service import Service, WaybillMode
from carimbo.fiscal.layouts.cte_v4.taxes import ServiceIcms00, ServiceTaxes
from carimbo.fiscal.layouts.cte_v4.waybill import ROOT, PriceComponent, ServicePrice, Waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import ROOT as OS_ROOT
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.signed_part import WrittenPart

ISSUED_AT = datetime(2026, 11, 14, 10, 0, tzinfo=timezone(timedelta(hours=-3)))
CNPJ, LETTERS_CNPJ = "11222333000181", "12ABC34501DE35"
QR_ADDRESS = "https://homologacao.nfe.fazenda.sp.gov.br/CTeConsulta/qrCode"


def key_of(
    tax_id: str = CNPJ, model: str = "57", number: int = 7, series: int = 1, tp_emis: str = "1"
) -> str:
    """Returns the key of a document of the issue month."""
    return AccessKey("35", "2611", tax_id, model, series, number, tp_emis, "87654322")


def file_of(waybill: Waybill | OsWaybill) -> bytes:
    """Returns the XML of a CT-e or CT-e OS with its QR code, without signature."""
    root = OS_ROOT if isinstance(waybill, OsWaybill) else ROOT
    written = root.write(waybill)
    assert isinstance(written, WrittenPart), written
    key, environment = waybill.id.removeprefix("CTe"), waybill.identification.environment
    address = f"{QR_ADDRESS}?chCTe={key}&amp;tpAmb={environment}"
    return root.around(written, f"<infCTeSupl><qrCodCTe>{address}</qrCodCTe></infCTeSupl>".encode())


ADDRESS = WaybillAddress(
    street="Rua Barão de Jaguara",
    number="901",
    complement="Galpão 3",
    district="Centro",
    city_code="3509502",
    city="Campinas",
    zipcode="13015001",
    state="SP",
    country_code="1058",
    country="BRASIL",
)
_RIO = replace(
    ADDRESS, street="Avenida Rio Branco", number="156", complement=None, city="Rio de Janeiro", state="RJ",
    city_code="3304557", zipcode="20040003",
)  # fmt: skip
_SENDER = CargoSender(
    cnpj="44455566000183",
    state_registration="244555660118",
    name="Indústria de Peças Modelo Ltda",
    phone="1932345678",
    address=ADDRESS,
)
RECIPIENT = CargoRecipient(
    cpf="52998224725", name="Maria Aparecida da Conceição", phone="21987654321", address=_RIO
)
DISPATCHER = CargoDispatcher(
    cnpj="33000167000101",
    state_registration="110042490114",
    name="Armazéns Gerais do Porto SA",
    phone="1333221100",
    address=replace(ADDRESS, street="Avenida dos Portuários", city="Santos", zipcode="11015000"),
)
RECEIVER = CargoReceiver(
    cnpj="",
    name="Importadora del Sur SRL",
    phone="541143219876",
    address=replace(
        ADDRESS, street="Avenida Corrientes", city_code="9999999", city="EXTERIOR", zipcode=None, state="EX",
        country_code="0639", country="ARGENTINA",
    ),
)  # fmt: skip
TAKER = OtherTaker(
    cnpj="60746948000112",
    state_registration="109092840110",
    name="Operadora Logística Nacional SA",
    phone="1140044321",
    address=replace(ADDRESS, street="Rodovia Anhanguera", number="KM 25", city="Osasco", zipcode="06233903"),
)
NFE = CarriedInvoice(access_key=key_of("44455566000183", "55", 3))

USUAL = Waybill(
    id=f"CTe{key_of()}",
    identification=WaybillIdentification(
        state_code="35",
        numeric_code="87654322",
        cfop="6353",
        nature="PRESTACAO DE SERVICO DE TRANSPORTE",
        model="57",
        series=1,
        number=7,
        issued_at=ISSUED_AT,
        print_format="1",
        emission_type="1",
        check_digit=key_of()[-1],
        environment="1",
        purpose="0",
        issuing_process="0",
        software_version="carimbo",
        sent_from_city_code="3550308",
        sent_from_city="São Paulo",
        sent_from_state="SP",
        mode="01",
        service_type="0",
        start_city_code="3509502",
        start_city="Campinas",
        start_state="SP",
        end_city_code="3304557",
        end_city="Rio de Janeiro",
        end_state="RJ",
        receiver_picks_up="1",
        taker_contribution="1",
        taker=TakerByRole(role="0"),
    ),
    issuer=WaybillIssuer(
        cnpj=CNPJ,
        state_registration="111222330112",
        name="Transportadora Modelo Ltda",
        address=CarrierAddress(
            street="Avenida Paulista",
            number="1000",
            complement="Conjunto 12",
            district="Bela Vista",
            city_code="3550308",
            city="São Paulo",
            zipcode="01310100",
            state="SP",
            phone="1133334444",
        ),
        tax_regime="3",
    ),
    sender=_SENDER,
    recipient=RECIPIENT,
    price=ServicePrice(
        amount=Decimal(1000),
        receivable_amount=Decimal("997.50"),
        components=(
            PriceComponent(name="FRETE PESO", amount=Decimal("850.10")),
            PriceComponent(name="PEDÁGIO", amount=Decimal("149.90")),
        ),
    ),
    taxes=ServiceTaxes(
        icms=ServiceIcms00(base=Decimal("1000.01"), rate=Decimal(12), amount=Decimal(120)),
    ),
    service=Service(
        cargo=Cargo(
            amount=Decimal("50000.00"),
            predominant_product="Peças para motores",
            quantities=(
                CargoQuantity(unit="01", measure_type="PESO BRUTO", quantity=Decimal("1500.0000")),
                CargoQuantity(unit="03", measure_type="CAIXAS", quantity=Decimal(24)),
            ),
        ),
        documents=CargoDocuments(nfes=(NFE,)),
        mode=WaybillMode(content=Road(rntrc="12345678")),
    ),
)
"""A CT-e in production, as most are: the sender pays for one NF-e of goods."""


def with_identification(waybill: Waybill, **changes: Any) -> Waybill:
    """Returns the CT-e with another identification."""
    return replace(waybill, identification=replace(waybill.identification, **changes))


def with_service(waybill: Waybill, **changes: Any) -> Waybill:
    """Returns the CT-e with another service."""
    assert waybill.service
    return replace(waybill, service=replace(waybill.service, **changes))


def with_taxes(waybill: Waybill, **changes: Any) -> Waybill:
    """Returns the CT-e with other taxes."""
    return replace(waybill, taxes=replace(waybill.taxes, **changes))


def with_delivery(date_: Any, time: Any) -> Waybill:
    """Returns the usual CT-e with a delivery forecast."""
    return replace(USUAL, complement=WaybillComplement(delivery=DeliveryForecast(date=date_, time=time)))


def with_invoices(count: int) -> Waybill:
    """Returns the usual CT-e with many NF-e."""
    nfes = tuple(
        CarriedInvoice(access_key=key_of("44455566000183", "55", number)) for number in range(1, count + 1)
    )
    return with_service(USUAL, documents=CargoDocuments(nfes=nfes))


def of_letters(waybill: Waybill) -> Waybill:
    """Returns the CT-e with letters in the CNPJ of its issuer and of the issuer of its NF-e."""
    issuer = replace(waybill.issuer, cnpj=LETTERS_CNPJ)
    nfe = CarriedInvoice(access_key=key_of(LETTERS_CNPJ, "55", 3))
    changed = with_service(waybill, documents=CargoDocuments(nfes=(nfe,)))
    return replace(changed, id=f"CTe{key_of(LETTERS_CNPJ)}", issuer=issuer)
