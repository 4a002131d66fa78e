"""The printed pages of events of an MDF-e."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.mdfe_v3.events import (
    DriverInclusion,
    ManifestCancellation,
    ManifestDetail,
    PaymentChange,
)
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.payment import PaymentAccount, PaymentInstallment
from carimbo.fiscal.layouts.mdfe_v3.road import Driver
from carimbo.fiscal.printout import EventPrint
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, pages_of, text_of, text_without_breaks, title_of, words_of
from unit.printing.manifest_examples import MANIFESTS
from unit.printing.manifests import (
    ADDED_DRIVER,
    CLOSED_IN_RIO,
    PAYMENT,
    PAYMENT_REGISTRATION,
    PROTOCOL,
    USUAL,
    added_invoices,
    authorized,
    event_file,
    invoice_key,
    with_identification,
)
from unit.printing.pictures import png
from unit.printing.room import room_faults

REASON = "Viagem não iniciada por falta de carga"
CANCELLATION = ManifestCancellation(protocol=PROTOCOL, reason=REASON)
SALVADOR, FEIRA = ("2927408", "SALVADOR"), ("2910800", "FEIRA DE SANTANA")


def page(
    detail: ManifestDetail,
    manifest: Manifest = USUAL,
    *changes: tuple[str, str],
    logo: bytes | None = None,
) -> bytes:
    """Prints an event of an MDF-e, optionally with other texts in its XML."""
    environment = manifest.identification.environment
    event = event_file(detail, *changes, manifest=manifest, environment=environment)
    return PdfRenderer().event(EventPrint("mdfe", authorized(manifest), event, logo))


def text_of_page(detail: ManifestDetail) -> str:
    return text_without_breaks(page(detail))


class TestCancellation:
    def test_cancellation_has_its_reason(self) -> None:
        text = text_of_page(CANCELLATION)
        assert "CANCELAMENTO DE MDF-e" in text
        assert f"JUSTIFICATIVA {REASON}" in text


class TestClosing:
    def test_closing_has_day_and_place(self) -> None:
        text = text_of_page(CLOSED_IN_RIO)
        assert "ENCERRAMENTO DE MDF-e" in text
        assert "Data do encerramento 16/11/2026 Local do encerramento Rio de Janeiro - RJ" in text
        assert "terceiro" not in text

    def test_closing_by_a_third_party_says_so(self) -> None:
        assert "Encerrado por terceiro Sim" in text_of_page(replace(CLOSED_IN_RIO, by_third_party="1"))

    def test_closing_abroad_is_named(self) -> None:
        closing = replace(CLOSED_IN_RIO, state_code="99", city_code="9999999")
        assert "Local do encerramento EXTERIOR" in text_of_page(closing)


class TestInclusions:
    def test_driver_has_name_and_cpf(self) -> None:
        text = text_of_page(ADDED_DRIVER)
        assert "INCLUSÃO DE CONDUTOR" in text
        assert "CONDUTOR INCLUÍDO CAMPO CONTEÚDO Nome Carlos Alberto Souza CPF 111.444.777-35" in text

    def test_documents_have_their_municipalities(self) -> None:
        text = text_of_page(added_invoices((*SALVADOR, 50), (*FEIRA, 51)))
        assert "INCLUSÃO DE DOCUMENTOS FISCAIS ELETRÔNICOS" in text
        assert "Município de carregamento CAMPINAS" in text
        assert "1 SALVADOR 3526 1144 4555 6600 0183 5500 1000 0000 50" in text
        assert "2 FEIRA DE SANTANA 3526 1144 4555 6600 0183 5500 1000 0000 51" in text

    def test_many_documents_take_as_many_pages_as_they_need(self) -> None:
        pdf = page(added_invoices(*((*SALVADOR, number) for number in range(1, 301))))
        text = "".join(text_of(pdf).split())
        assert all(invoice_key(number) in text for number in range(1, 301))
        assert pages_of(pdf) > 3
        assert room_faults(pdf) == {}

    def test_longest_names_fit(self) -> None:
        driver = DriverInclusion(driver=Driver(name="W" * 60, cpf="11144477735"))
        for detail in (driver, added_invoices(("2927408", "W" * 60, 1))):
            pdf = page(detail)
            assert room_faults(pdf) == {}
            assert text_of(pdf).count("W") == 60


class TestPayments:
    def test_payment_has_trip_payer_amounts_and_account(self) -> None:
        text = text_of_page(PAYMENT_REGISTRATION)
        assert "PAGAMENTO DA OPERAÇÃO DE TRANSPORTE" in text
        assert (
            "VIAGEM CAMPO CONTEÚDO Número da viagem 2 de 4 PAGAMENTO CAMPO CONTEÚDO"
            " Responsável pelo pagamento Indústria de Peças Modelo Ltda"
            " CNPJ / CPF / ID. estrangeiro 44.455.566/0001-83 Valor do contrato R$ 3.250,30"
            " Forma de pagamento A prazo Adiantamento R$ 1.250,30 Condições Não permite antecipar parcelas"
            " Crédito em Pix marcos.lima@example.com"
        ) in text
        assert "COMPONENTE VALOR R$ Frete 3.000,10 Vale-pedágio 250,20" in text
        assert "PARCELA VENCIMENTO VALOR R$ 001 05/12/2026 1.000,01 002 20/12/2026 999,99" in text

    def test_changed_payments_are_numbered(self) -> None:
        cash = replace(
            PAYMENT,
            payer_name=None,
            term="0",
            advance_amount=None,
            installments=(),
            early_installments=None,
            account=PaymentAccount(bank_code="001", branch="1234"),
        )
        text = text_of_page(PaymentChange(protocol=PROTOCOL, payments=(PAYMENT, cash)))
        assert "ALTERAÇÃO DO PAGAMENTO DO SERVIÇO DE TRANSPORTE" in text
        assert "PAGAMENTO 1 CAMPO" in text
        assert "PAGAMENTO 2 CAMPO CONTEÚDO CNPJ / CPF / ID. estrangeiro 44.455.566/0001-83" in text
        assert "Forma de pagamento À vista Crédito em banco 001, agência 1234" in text
        assert "PAGAMENTO 1 - PARCELAS" in text
        assert "PAGAMENTO 2 - PARCELAS" not in text

    def test_many_installments_take_as_many_pages_as_they_need(self) -> None:
        installments = tuple(
            PaymentInstallment(number=f"{number:03}", due_date=date(2027, 1, 5), amount=Decimal(number))
            for number in range(1, 121)
        )
        pdf = page(PaymentChange(protocol=PROTOCOL, payments=(replace(PAYMENT, installments=installments),)))
        words = [word.text for word in words_of(pdf)]
        assert [word for word in words if word in {item.number for item in installments}][-120:] == [
            item.number for item in installments
        ]
        assert room_faults(pdf) == {}


class TestEveryEvent:
    def test_event_page_names_issuer_transport_and_document(self) -> None:
        text = text_of_page(CANCELLATION)
        for value in (
            "Transportadora Modelo Ltda", "11.222.333/0001-81", "111222330112", "Avenida Paulista, 1000",
            "TRANSPORTE MODAL RODOVIÁRIO UF DE CARREGAMENTO SP UF DE DESCARREGAMENTO RJ",
            "PLACA DO VEÍCULO ABC1D23",
            "MDF-e A QUE O EVENTO SE REFERE", "58 - MDF-e", "000.000.007", "14/11/2026 10:00:23", PROTOCOL,
            "310.250,55", "Consulte sua autenticidade em dfe-portal.svrs.rs.gov.br/mdfe/consulta",
        ):  # fmt: skip
            assert value in text

    def test_event_page_describes_the_event_and_its_registration(self) -> None:
        text = text_of_page(ADDED_DRIVER)
        assert "TIPO 110114 - Inclusao Condutor SEQUÊNCIA 1 DATA E HORA DO EVENTO 15/11/2026 12:00:23" in text
        assert "SITUAÇÃO 135 - Evento registrado e vinculado ao MDF-e" in text
        assert "PROTOCOLO 935260000000456 DATA E HORA DO REGISTRO 15/11/2026 12:00:05" in text

    @pytest.mark.parametrize("name", ["usual", "letters"])
    def test_event_page_has_the_key_as_text_and_as_bar_code(self, name: str) -> None:
        manifest = MANIFESTS[name]
        pdf, key = page(CANCELLATION, manifest), manifest.id.removeprefix("MDFe")
        assert key in "".join(text_of(pdf).split())
        assert codes_of(pdf) == {key}

    def test_event_page_is_marked_only_in_homologation(self) -> None:
        test = with_identification(USUAL, environment="2")
        assert "SEM VALOR FISCAL" in text_without_breaks(page(CANCELLATION, test))
        assert "SEM VALOR FISCAL" not in text_of_page(CANCELLATION)

    def test_event_page_has_the_issuers_logo_and_a_title(self) -> None:
        pdf = page(CANCELLATION, logo=png(300, 100))
        assert b"/Subtype /Image" in pdf
        assert b"/Subtype /Image" not in page(CANCELLATION)
        assert title_of(pdf) == "CANCELAMENTO DE MDF-e - MDF-e nº 7 série 1"

    @pytest.mark.parametrize("name", ["air", "rail", "water"])
    def test_event_of_another_mode_has_no_plate(self, name: str) -> None:
        text = text_without_breaks(page(CANCELLATION, MANIFESTS[name]))
        assert "PLACA DO VEÍCULO MDF-e A QUE" in text

    def test_unknown_event_type_is_named_as_in_its_file(self) -> None:
        changes = ("<tpEvento>110111", "<tpEvento>110999"), (">Cancelamento<", ">Outro evento<")
        assert "Outro evento" in text_of(page(CANCELLATION, USUAL, *changes)).splitlines()
