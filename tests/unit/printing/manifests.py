"""MDF-e for printing: a usual one, functions that change it, and its registered events."""

from base64 import b64encode
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.layout import to_xml
from carimbo.fiscal.layouts.mdfe_v3.cargo import (
    CargoInsurance,
    CargoInsuranceResponsible,
    CargoInsurer,
    MainProduct,
    ManifestTotals,
)
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT, NAMESPACE
from carimbo.fiscal.layouts.mdfe_v3.documents import (
    ManifestDocuments,
    ManifestedInvoice,
    ManifestedWaybill,
    UnloadingCity,
)
from carimbo.fiscal.layouts.mdfe_v3.events import (
    DocumentInclusion,
    DriverInclusion,
    IncludedInvoice,
    ManifestClosing,
    ManifestDetail,
    ManifestEvent,
    PaymentRegistration,
    Trips,
)
from carimbo.fiscal.layouts.mdfe_v3.identification import LoadingCity, ManifestIdentification
from carimbo.fiscal.layouts.mdfe_v3.manifest import (
    ROOT,
    Manifest,
    ManifestIssuer,
    ManifestIssuerAddress,
    ManifestModal,
)
from carimbo.fiscal.layouts.mdfe_v3.payment import (
    FreightPayment,
    PaymentAccount,
    PaymentComponent,
    PaymentInstallment,
)
from carimbo.fiscal.layouts.mdfe_v3.road import (
    Ciot,
    Contractor,
    Driver,
    ManifestRoad,
    RoadCarrier,
    RoadVehicle,
    Trailer,
)
from carimbo.fiscal.layouts.sefaz.messages import authorized_document, registered_event
from carimbo.fiscal.layouts.signed_part import WrittenPart
from unit.printing.waybills import CNPJ, LETTERS_CNPJ, key_of

ISSUED_AT = datetime(2026, 11, 14, 10, 0, 23, tzinfo=timezone(timedelta(hours=-3)))
QR_ADDRESS = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
SHIPPER = "44455566000183"
PROTOCOL = "935260000000123"
# As long as the signature of an RSA key with 2048 bits.
_SIGN = b64encode(bytes(range(256))).decode()
_PROTOCOL = (
    '<protMDFe xmlns="{namespace}" versao="3.00"><infProt><tpAmb>1</tpAmb><verAplic>1</verAplic>'
    "<chMDFe>{key}</chMDFe><dhRecbto>2026-11-14T10:00:47-03:00</dhRecbto><nProt>{number}</nProt>"
    "<cStat>100</cStat><xMotivo>Autorizado o uso do MDF-e</xMotivo></infProt>"
    "<infFisco><cMsg>1</cMsg><xMsg>Regularize sua situação cadastral</xMsg></infFisco></protMDFe>"
)
_ANSWER = (
    '<retEventoMDFe xmlns="{namespace}" versao="3.00"><infEvento><tpAmb>1</tpAmb><verAplic>1</verAplic>'
    "<cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado ao MDF-e</xMotivo>"
    "<dhRegEvento>2026-11-15T12:00:05-03:00</dhRegEvento><nProt>935260000000456</nProt></infEvento>"
    "</retEventoMDFe>"
)


def manifest_key(tax_id: str = CNPJ, tp_emis: str = "1", number: int = 7) -> str:
    """Returns the key of an MDF-e of the issue month."""
    return key_of(tax_id, "58", number, tp_emis=tp_emis)


def waybill_key(number: int) -> str:
    """Returns the key of a CT-e of the usual carrier."""
    return key_of(number=number)


def invoice_key(number: int) -> str:
    """Returns the key of an NF-e of the usual shipper."""
    return key_of(SHIPPER, "55", number)


def file_of(manifest: Manifest) -> bytes:
    """Returns the XML of an MDF-e with its QR code, without signature."""
    written = ROOT.write(manifest)
    assert isinstance(written, WrittenPart), written
    key, environment = manifest.id.removeprefix("MDFe"), manifest.identification.environment
    sign = f"&amp;sign={_SIGN}" if manifest.identification.emission_type == "2" else ""
    address = f"{QR_ADDRESS}?chMDFe={key}&amp;tpAmb={environment}{sign}"
    return ROOT.around(written, f"<infMDFeSupl><qrCodMDFe>{address}</qrCodMDFe></infMDFeSupl>".encode())


def authorized(manifest: Manifest) -> bytes:
    """Returns the XML of an MDF-e with its protocol."""
    key = manifest.id.removeprefix("MDFe")
    protocol = _PROTOCOL.format(namespace=NAMESPACE, key=key, number=PROTOCOL)
    return authorized_document(MDFE_DIALECT, file_of(manifest), protocol.encode())


def event_file(
    detail: ManifestDetail,
    *changes: tuple[str, str],
    manifest: Manifest | None = None,
    day: int = 15,
    environment: str = "1",
) -> bytes:
    """Returns the file of a registered event, optionally with other texts in its XML."""
    key = manifest.id.removeprefix("MDFe") if manifest else manifest_key()
    event = ManifestEvent(
        organ="35",
        environment=environment,
        tax_id=key[6:20],
        access_key=AccessKey.parse(key),
        occurred_at=ISSUED_AT.replace(day=day, hour=12),
        sequence=1,
        detail=detail,
    )
    xml = f'<eventoMDFe xmlns="{NAMESPACE}" versao="3.00">{to_xml(event.information())}</eventoMDFe>'
    for old, new in changes:
        assert old in xml
        xml = xml.replace(old, new)
    return registered_event(MDFE_DIALECT, xml.encode(), _ANSWER.format(namespace=NAMESPACE).encode())


PAYMENT = FreightPayment(
    payer_name="Indústria de Peças Modelo Ltda",
    payer_cnpj=SHIPPER,
    components=(
        PaymentComponent(type="04", amount=Decimal("3000.10")),
        PaymentComponent(type="01", amount=Decimal("250.20")),
    ),
    contract_amount=Decimal("3250.30"),
    term="1",
    advance_amount=Decimal("1250.30"),
    installments=(
        PaymentInstallment(number="001", due_date=date(2026, 12, 5), amount=Decimal("1000.01")),
        PaymentInstallment(number="002", due_date=date(2026, 12, 20), amount=Decimal("999.99")),
    ),
    early_installments="0",
    account=PaymentAccount(pix_key="marcos.lima@example.com"),
)
USUAL = Manifest(
    id=f"MDFe{manifest_key()}",
    identification=ManifestIdentification(
        state_code="35",
        environment="1",
        issuer_type="1",
        model="58",
        series=1,
        number=7,
        numeric_code="87654322",
        check_digit=manifest_key()[-1],
        mode="1",
        issued_at=ISSUED_AT,
        emission_type="1",
        issuing_process="0",
        software_version="carimbo",
        start_state="SP",
        end_state="RJ",
        loading_cities=(LoadingCity(city_code="3509502", city="CAMPINAS"),),
        trip_starts_at=ISSUED_AT.replace(hour=18),
    ),
    issuer=ManifestIssuer(
        cnpj=CNPJ,
        state_registration="111222330112",
        name="Transportadora Modelo Ltda",
        address=ManifestIssuerAddress(
            street="Avenida Paulista",
            number="1000",
            complement="Conjunto 12",
            district="Bela Vista",
            city_code="3550308",
            city="SAO PAULO",
            zipcode="01310100",
            state="SP",
            phone="1133334444",
        ),
    ),
    mode=ManifestModal(
        content=ManifestRoad(
            carrier=RoadCarrier(
                rntrc="12345678",
                ciots=(Ciot(number="123456789012", cnpj=CNPJ),),
                contractors=(Contractor(name="Indústria de Peças Modelo Ltda", cnpj=SHIPPER),),
            ),
            vehicle=RoadVehicle(
                plate="ABC1D23",
                renavam="00123456789",
                tare_kg=8200,
                drivers=(Driver(name="José da Silva", cpf="52998224725"),),
                wheel_type="03",
                body_type="00",
                state="SP",
            ),
            trailers=(
                Trailer(
                    plate="DEF2G34",
                    renavam="00987654321",
                    tare_kg=6100,
                    capacity_kg=25300,
                    body_type="02",
                    state="SP",
                ),
            ),
        )
    ),
    documents=ManifestDocuments(
        cities=(
            UnloadingCity(
                city_code="3304557",
                city="RIO DE JANEIRO",
                waybills=(
                    ManifestedWaybill(access_key=waybill_key(3)),
                    ManifestedWaybill(access_key=waybill_key(4)),
                ),
            ),
        )
    ),
    insurance=(
        CargoInsurance(
            responsible=CargoInsuranceResponsible(type="1"),
            insurer=CargoInsurer(name="Seguradora Nacional SA", cnpj="88999000000198"),
            policy_number="AP-778899",
            endorsements=("0001234567890123456789", "0001234567890123456790"),
        ),
    ),
    main_product=MainProduct(cargo_type="05", description="Peças para motores"),
    totals=ManifestTotals(waybills=2, amount=Decimal("310250.55"), unit="01", quantity=Decimal("18400.5000")),
)
"""An MDF-e in production, as most are: a carrier brings two CT-e to one municipality by road."""


def with_identification(manifest: Manifest, **changes: Any) -> Manifest:
    """Returns the MDF-e with another identification."""
    return replace(manifest, identification=replace(manifest.identification, **changes))


def with_road(manifest: Manifest, **changes: Any) -> Manifest:
    """Returns the MDF-e with other data of the road mode."""
    road = manifest.mode.content
    assert isinstance(road, ManifestRoad)
    return replace(manifest, mode=ManifestModal(content=replace(road, **changes)))


def with_carrier(manifest: Manifest, **changes: Any) -> Manifest:
    """Returns the MDF-e with other data for the agency of road transport."""
    road = manifest.mode.content
    assert isinstance(road, ManifestRoad)
    return with_road(manifest, carrier=replace(road.carrier or RoadCarrier(), **changes))


def with_cities(*cities: UnloadingCity) -> Manifest:
    """Returns the usual MDF-e with other documents, which it counts."""
    totals = replace(
        USUAL.totals,
        waybills=sum(len(city.waybills) for city in cities) or None,
        invoices=sum(len(city.invoices) for city in cities) or None,
        manifests=sum(len(city.manifests) for city in cities) or None,
    )
    return replace(USUAL, documents=ManifestDocuments(cities=cities), totals=totals)


def with_waybills(count: int) -> Manifest:
    """Returns the usual MDF-e with many CT-e."""
    waybills = tuple(ManifestedWaybill(access_key=waybill_key(number)) for number in range(1, count + 1))
    return with_cities(UnloadingCity(city_code="3304557", city="RIO DE JANEIRO", waybills=waybills))


def of_letters(manifest: Manifest) -> Manifest:
    """Returns the MDF-e with letters in the CNPJ of its issuer and of the issuer of its CT-e."""
    issuer = replace(manifest.issuer, cnpj=LETTERS_CNPJ)
    waybill = ManifestedWaybill(access_key=key_of(LETTERS_CNPJ, number=3))
    city = UnloadingCity(city_code="3304557", city="RIO DE JANEIRO", waybills=(waybill,))
    return replace(
        manifest,
        id=f"MDFe{manifest_key(LETTERS_CNPJ)}",
        issuer=issuer,
        documents=ManifestDocuments(cities=(city,)),
        totals=replace(manifest.totals, waybills=1),
    )


LATER_LOADING = with_identification(
    replace(
        with_cities(UnloadingCity(city_code="3550308", city="SAO PAULO")),
        totals=ManifestTotals(amount=Decimal(0), unit="01", quantity=Decimal(0)),
    ),
    issuer_type="2",
    end_state="SP",
    later_loading="1",
)
"""An MDF-e that is issued before its NF-e are loaded."""
ADDED_DRIVER = DriverInclusion(driver=Driver(name="Carlos Alberto Souza", cpf="11144477735"))


def added_invoices(*places: tuple[str, str, int]) -> DocumentInclusion:
    """Returns the inclusion of NF-e: the code and name of the municipality and the number of each."""
    return DocumentInclusion(
        protocol=PROTOCOL,
        loading_city_code="3509502",
        loading_city="CAMPINAS",
        invoices=tuple(
            IncludedInvoice(city_code=code, city=city, access_key=invoice_key(number))
            for code, city, number in places
        ),
    )


CLOSED_IN_RIO = ManifestClosing(
    protocol=PROTOCOL, closed_on=date(2026, 11, 16), state_code="33", city_code="3304557"
)
PAYMENT_REGISTRATION = PaymentRegistration(
    protocol=PROTOCOL, trips=Trips(total="00004", current="00002"), payments=(PAYMENT,)
)
NFE = ManifestedInvoice(access_key=invoice_key(3))
