"""The pages of events about deliveries, and of the guides of valuables."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.cte_v4.delivery import (
    MAX_DELIVERED_INVOICES,
    DeliveredInvoice,
    DeliveryCancellation,
    FailedDelivery,
    FailedDeliveryCancellation,
    ProofOfDelivery,
)
from carimbo.fiscal.layouts.cte_v4.events import Detail, Disagreement, DisagreementCancellation
from carimbo.fiscal.layouts.cte_v4.valuables import (
    CarriedSpecie,
    GuideParty,
    TransportGuide,
    TransportGuides,
)
from pdf_reading import pages_of, text_of, text_without_breaks
from unit.fiscal.documents.cte.bodies import nfe_key
from unit.printing.room import room_faults
from unit.printing.test_waybill_event_page import OCCURRED_AT, page

PROTOCOL, UNDONE = "135260000000077", "135260000000078"
HASH = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
PARTY = GuideParty(cnpj="66777888000181", state="SP", name="Banco Paulistano S.A.")


def proof(name: str = "Ana Lúcia Ramos", *invoices: str) -> ProofOfDelivery:
    return ProofOfDelivery(
        protocol=PROTOCOL,
        delivered_at=OCCURRED_AT - timedelta(hours=1),
        recipient_document="12.345.678-9",
        recipient_name=name,
        latitude=Decimal("-22.906847"),
        longitude=Decimal("-43.172897"),
        image_hash=HASH,
        hashed_at=OCCURRED_AT,
        invoices=tuple(DeliveredInvoice(access_key=key) for key in invoices),
    )


class TestProofOfDelivery:
    def test_proof_says_who_received_when_and_where(self) -> None:
        text = text_without_breaks(page(proof("Ana Lúcia Ramos", nfe_key(1))))
        assert "COMPROVANTE DE ENTREGA DO CT-e" in text
        assert "Data e hora da entrega 14/11/2026 11:00:00" in text
        assert "Nome de quem recebeu Ana Lúcia Ramos Documento de quem recebeu 12.345.678-9" in text
        assert "Latitude e longitude -22.906847, -43.172897" in text
        assert f"Hash da imagem do comprovante {HASH}" in text
        assert "NF-e DA ENTREGA" in text

    def test_proof_without_nfe_has_no_table_of_them(self) -> None:
        assert "NF-e DA ENTREGA" not in text_of(page(proof()))

    def test_all_nfe_are_listed(self) -> None:
        keys = [nfe_key(number) for number in range(1, MAX_DELIVERED_INVOICES // 10)]
        pdf = page(proof("W" * 60, *keys))
        assert room_faults(pdf) == {}
        assert (pages_of(pdf) > 1, text_of(pdf).count("W")) == (True, 60 + HASH.count("W"))


class TestOtherEvents:
    def test_failure_says_why(self) -> None:
        failure = FailedDelivery(
            protocol=PROTOCOL,
            attempted_at=OCCURRED_AT,
            attempt="002",
            reason="4",
            justification="Rua interditada por obras",
        )
        text = text_without_breaks(page(failure))
        assert "INSUCESSO NA ENTREGA DO CT-e" in text
        assert "Número da tentativa 2 Motivo Outros Justificativa Rua interditada por obras" in text
        assert "Hash" not in text

    @pytest.mark.parametrize(
        ("detail", "title"),
        [
            (DeliveryCancellation(protocol=PROTOCOL, undone_protocol=UNDONE), "COMPROVANTE DE ENTREGA"),
            (FailedDeliveryCancellation(protocol=PROTOCOL, undone_protocol=UNDONE), "INSUCESSO NA ENTREGA"),
        ],
    )
    def test_undoing_names_the_undone_event(self, detail: Detail, title: str) -> None:
        text = text_without_breaks(page(detail))
        assert f"CANCELAMENTO DO {title} DO CT-e" in text
        assert f"PROTOCOLO DO EVENTO CANCELADO {UNDONE}" in text

    def test_guides_are_listed_with_all_their_fields(self) -> None:
        guide = TransportGuide(
            number="4501",
            id="AIDF-77",
            series="1",
            issue_date=date(2026, 11, 20),
            check_digit="3",
            volumes=Decimal(4),
            species=(CarriedSpecie(type="1", amount=Decimal(250000)), CarriedSpecie(type="2")),
            shipper=PARTY,
            recipient=PARTY,
            plate="ABC1D23",
            state="SP",
            rntrc="12345678",
        )
        text = text_without_breaks(page(TransportGuides(guides=(guide,))))
        assert "INFORMAÇÕES DA GTV" in text
        party = "Banco Paulistano S.A., 66.777.888/0001-81, SP"
        for cell in (
            f"nº 4501-3, série 1, de 20/11/2026, AIDF AIDF-77 {party} {party} 4 volumes",
            "Cédulas R$ 250.000,00, Cheques ABC1D23, SP, RNTRC 12345678",
        ):
            assert cell.replace(" ", "") in text.replace(" ", "")

    def test_disagreement_has_its_reason(self) -> None:
        text = text_without_breaks(page(Disagreement(justification="Frete diferente do combinado")))
        assert "PRESTAÇÃO DO SERVIÇO EM DESACORDO" in text
        assert "JUSTIFICATIVA Frete diferente do combinado" in text

    def test_withdrawal_names_the_disagreement(self) -> None:
        text = text_without_breaks(page(DisagreementCancellation(undone_protocol=UNDONE)))
        assert f"PROTOCOLO DO EVENTO CANCELADO {UNDONE}" in text
