"""CT-e for printing by other modes than road: with all data of the mode, or few."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.air import Air, AirTariff, CargoNature, DangerousGoods, DangerousQuantity
from carimbo.fiscal.layouts.cte_v4.multimodal import Insurer, Multimodal, MultimodalInsurance
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.layouts.cte_v4.rail import MutualTraffic, Rail, Railway, RailwayAddress
from carimbo.fiscal.layouts.cte_v4.service import WaybillMode
from carimbo.fiscal.layouts.cte_v4.water import (
    ContainedInvoice,
    Container,
    ContainerDocuments,
    ContainerSeal,
    Ferry,
    Water,
)
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from unit.printing.waybills import CNPJ, USUAL, key_of, with_identification, with_service


def _by(code: str, content: Air | Water | Rail | Pipeline | Multimodal) -> Waybill:
    return with_service(with_identification(USUAL, mode=code), mode=WaybillMode(content=content))


_RAILWAY = Railway(
    cnpj=CNPJ,
    code="FC",
    state_registration="111222330112",
    name="Ferrovia Central SA",
    address=RailwayAddress(
        street="Rua Augusta",
        number="1200",
        complement="3º andar",
        district="Consolação",
        city_code="3550308",
        city="SAO PAULO",
        zipcode="01304001",
        state="SP",
    ),
)
_BARE_RAILWAY = Railway(
    cnpj="33000167000101",
    name="Ferrovia do Porto SA",
    address=RailwayAddress(
        street="Praça Mauá", city_code="3548500", city="SANTOS", zipcode="11010000", state="SP"
    ),
)

BY_OTHER_MODES: dict[str, Waybill] = {
    "air": _by(
        "02",
        Air(
            waybill_draft_number="000004321",
            air_waybill_number="95712345675",
            expected_delivery_date=date(2026, 11, 19),
            nature=CargoNature(dimensions="120X80X60", handling_codes=("02", "03", "99")),
            tariff=AirTariff(tariff_class="E", code="0300", amount=Decimal("4.25")),
            dangerous_goods=(
                DangerousGoods(
                    un_number="3480",
                    packages="12 caixas",
                    total=DangerousQuantity(quantity=Decimal("36.5125"), unit="2"),
                ),
                DangerousGoods(
                    un_number="ND", packages="2", total=DangerousQuantity(quantity=Decimal(8), unit="4")
                ),
            ),
        ),
    ),
    "air-bare": _by(
        "02",
        Air(
            expected_delivery_date=date(2026, 11, 19),
            nature=CargoNature(),
            tariff=AirTariff(tariff_class="M", amount=Decimal("3.40")),
        ),
    ),
    "multimodal-mode": _by(
        "06",
        Multimodal(
            cotm="COTM-000123/2026",
            negotiable="1",
            insurance=MultimodalInsurance(
                insurer=Insurer(name="Seguradora Brasil SA", cnpj="88999000000198"),
                policy_number="RCTRC-998877",
                endorsement="00012345678901",
            ),
        ),
    ),
    "multimodal-mode-bare": _by("06", Multimodal(cotm="COTM-7", negotiable="0")),
    "pipeline": _by(
        "05",
        Pipeline(
            tariff=Decimal("0.500006"),
            start_date=date(2026, 11, 1),
            end_date=date(2026, 11, 13),
            duct_class="1",
            contract_type="2",
            entry_point="PE-PAULINIA",
            exit_point="PS-RIO-02",
            contract_number="GAS-2026-118",
        ),
    ),
    "pipeline-bare": _by("05", Pipeline(start_date=date(2026, 11, 2), end_date=date(2026, 11, 12))),
    "rail": _by(
        "04",
        Rail(
            traffic="1",
            mutual_traffic=MutualTraffic(
                billed_by="2",
                issued_by="1",
                freight_amount=Decimal("640.55"),
                origin_access_key=key_of(number=88),
                railways=(_RAILWAY, _BARE_RAILWAY),
            ),
            flow="SPO-RIO",
        ),
    ),
    "rail-bare": _by("04", Rail(traffic="0", flow="CPS-STS")),
    "water": _by(
        "03",
        Water(
            afrmm_base=Decimal("1000.07"),
            afrmm_amount=Decimal("80.01"),
            vessel_name="Navio Alvorada do Atlântico",
            ferries=(Ferry(name="Balsa Ibitinga"), Ferry(name="Balsa Promissão")),
            trip_number="26114",
            direction="N",
            irin="PPAA123",
            containers=(
                Container(
                    id="MSCU1234567",
                    seals=(ContainerSeal(number="L-1001"), ContainerSeal(number="L-1002")),
                    documents=ContainerDocuments(
                        nfes=(
                            ContainedInvoice(
                                access_key=key_of(model="55", number=41), apportioned_quantity=Decimal("21.6")
                            ),
                            ContainedInvoice(access_key=key_of(model="55", number=42)),
                        )
                    ),
                ),
                Container(id="MSCU7654321"),
            ),
            navigation="1",
        ),
    ),
    "water-bare": _by(
        "03",
        Water(
            afrmm_base=Decimal(0),
            afrmm_amount=Decimal(0),
            vessel_name="Empurrador Tietê",
            direction="L",
            irin="PP4471",
        ),
    ),
}
