"""The printed page of a cancellation or correction letter of a CT-e."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.events import (
    CorrectedField,
    Detail,
    WaybillCancellation,
    WaybillCorrection,
    WaybillEvent,
)
from carimbo.fiscal.layouts.cte_v4.root import NAMESPACE
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.layout import to_xml
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing.engine.canvas import POINT
from carimbo.printing.registry import PdfRenderer
from pdf_reading import codes_of, pages_of, text_of, text_without_breaks, words_of
from unit.printing.os_waybills import BAGGAGE, PASSENGERS, os_key
from unit.printing.pictures import png
from unit.printing.room import room_faults
from unit.printing.waybill_examples import WAYBILLS
from unit.printing.waybills import USUAL, file_of, with_identification

REASON = "Erro na identificação do recebedor da carga"
OCCURRED_AT = datetime(2026, 11, 14, 12, 0, tzinfo=timezone(timedelta(hours=-3)))
CANCELLATION = WaybillCancellation(protocol="135260000000077", reason=REASON)
CORRECTION = WaybillCorrection(
    corrections=(
        CorrectedField(group="compl", field="xObs", value="Entregar somente pela manhã"),
        CorrectedField(group="infQ", field="qCarga", value="1500.0000", item_number=2),
    )
)
ANSWER = (
    '<retEventoCTe xmlns="{namespace}" versao="4.00"><infEvento><tpAmb>1</tpAmb><verAplic>1</verAplic>'
    "<cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado a CT-e</xMotivo>"
    "<dhRegEvento>2026-11-14T12:00:05-03:00</dhRegEvento><nProt>135260000000088</nProt></infEvento>"
    "</retEventoCTe>"
)


def page(
    detail: Detail,
    waybill: Waybill | OsWaybill = USUAL,
    *changes: tuple[str, str],
    logo: bytes | None = None,
) -> bytes:
    """Prints an event of a CT-e or CT-e OS, optionally with other texts in its XML."""
    event = WaybillEvent(
        organ="35",
        environment=waybill.identification.environment,
        tax_id=waybill.issuer.cnpj or "",
        access_key=AccessKey.parse(waybill.id.removeprefix("CTe")),
        occurred_at=OCCURRED_AT,
        sequence=3,
        detail=detail,
    )
    xml = f'<eventoCTe xmlns="{NAMESPACE}" versao="4.00">{to_xml(event.information())}</eventoCTe>'
    for old, new in changes:
        assert old in xml
        xml = xml.replace(old, new)
    answer = ANSWER.format(namespace=NAMESPACE).encode()
    registered = registered_event(CTE_DIALECT, xml.encode(), answer)
    document_type = "cteOs" if isinstance(waybill, OsWaybill) else "cte"
    return PdfRenderer().event(EventPrint(document_type, file_of(waybill), registered, logo))


class TestCancellation:
    def test_cancellation_has_its_reason(self) -> None:
        text = text_without_breaks(page(CANCELLATION))
        assert "CANCELAMENTO DE CT-e" in text
        assert f"JUSTIFICATIVA {REASON}" in text
        assert "CORREÇÕES" not in text
        assert "CONDIÇÕES DE USO" not in text


class TestCorrection:
    def test_correction_lists_group_field_item_and_value(self) -> None:
        text = text_without_breaks(page(CORRECTION))
        assert "CARTA DE CORREÇÃO ELETRÔNICA" in text
        assert (
            "CORREÇÕES GRUPO CAMPO ITEM VALOR CORRIGIDO compl xObs Entregar somente pela manhã"
            " infQ qCarga 2 1500.0000"
        ) in text

    def test_correction_has_the_conditions_of_use(self) -> None:
        text = text_without_breaks(page(CORRECTION))
        assert "CONDIÇÕES DE USO A Carta de Correcao e disciplinada pelo Art. 58-B do CONVENIO/SINIEF" in text
        assert text.endswith("III - a data de emissao ou de saida.")

    def test_longest_correction_fits(self) -> None:
        change = CorrectedField(group="W" * 20, field="W" * 20, value="W" * 500, item_number=99)
        pdf = page(WaybillCorrection(corrections=(change,)))
        assert room_faults(pdf) == {}
        assert text_of(pdf).count("W") == 540
        assert pages_of(pdf) == 1

    @pytest.mark.parametrize("count", [*range(24, 32), 200])
    def test_many_corrections_take_as_many_pages_as_they_need(self, count: int) -> None:
        changes = tuple(
            CorrectedField(group="compl", field="xObs", value=f"valor-{number}") for number in range(count)
        )
        pdf = page(WaybillCorrection(corrections=changes))
        words = words_of(pdf)
        values = [word.text for word in words if word.text.startswith("valor-")]
        assert values == [change.value for change in changes]
        assert max(word.y1 for word in words) * POINT < 292
        assert room_faults(pdf) == {}

    def test_every_page_of_a_long_table_has_the_key_and_the_titles(self) -> None:
        change = CorrectedField(group="compl", field="xObs", value="x")
        pdf = page(WaybillCorrection(corrections=(change,) * 120))
        words = words_of(pdf)
        pages = {word.page for word in words if word.text == "x"}
        assert len(pages) > 1
        assert {word.page for word in words if word.text == "CORRIGIDO"} == pages
        assert {word.page for word in words if word.text == "(CONTINUAÇÃO)"} >= pages - {0}


class TestEventOfAnOsWaybill:
    def test_cancellation_names_issuer_taker_and_document(self) -> None:
        pdf = page(CANCELLATION, PASSENGERS)
        text = text_without_breaks(pdf)
        for value in (
            "CANCELAMENTO DE CT-e OS", f"JUSTIFICATIVA {REASON}", "Viação Modelo Turismo Ltda",
            "11.222.333/0001-81", "111222330112", "Agência de Viagens Modelo Ltda", "44.455.566/0001-83",
            "67 - CT-e OS", "CT-e OS A QUE O EVENTO SE REFERE", "14/11/2026 10:00:41", "8.500,00",
        ):  # fmt: skip
            assert value in text
        assert codes_of(pdf) == {os_key()}
        assert room_faults(pdf) == {}

    def test_correction_lists_its_changes(self) -> None:
        pdf = page(CORRECTION, PASSENGERS)
        text = text_without_breaks(pdf)
        assert "CARTA DE CORREÇÃO ELETRÔNICA" in text
        assert "compl xObs Entregar somente pela manhã infQ qCarga 2 1500.0000" in text
        assert room_faults(pdf) == {}

    def test_event_of_a_document_without_its_taker_is_printed(self) -> None:
        text = text_without_breaks(page(CANCELLATION, BAGGAGE))
        assert "TOMADOR DO SERVIÇO NOME / RAZÃO SOCIAL CNPJ / CPF INSCRIÇÃO ESTADUAL" in text


class TestEveryEvent:
    def test_event_page_names_issuer_taker_and_document(self) -> None:
        text = text_without_breaks(page(CANCELLATION))
        for value in (
            "Transportadora Modelo Ltda", "11.222.333/0001-81", "111222330112", "Avenida Paulista, 1000",
            "TOMADOR DO SERVIÇO", "Indústria de Peças Modelo Ltda", "44.455.566/0001-83",
            "57 - CT-e", "000.000.007", "14/11/2026 10:00:00", "1.000,00",
            "Consulte sua autenticidade em www.cte.fazenda.gov.br/portal",
        ):  # fmt: skip
            assert value in text

    def test_event_page_describes_the_event_and_its_registration(self) -> None:
        text = text_without_breaks(page(CORRECTION))
        assert "TIPO 110110 - Carta de Correcao SEQUÊNCIA 3 DATA E HORA DO EVENTO 14/11/2026 12:00:00" in text
        assert "SITUAÇÃO 135 - Evento registrado e vinculado a CT-e" in text
        assert "PROTOCOLO 135260000000088 DATA E HORA DO REGISTRO 14/11/2026 12:00:05" in text

    @pytest.mark.parametrize("name", ["usual", "letters"])
    def test_event_page_has_the_key_as_text_and_as_bar_code(self, name: str) -> None:
        waybill = WAYBILLS[name]
        pdf, key = page(CANCELLATION, waybill), waybill.id.removeprefix("CTe")
        assert key in "".join(text_of(pdf).split())
        assert codes_of(pdf) == {key}

    def test_event_page_is_marked_only_in_homologation(self) -> None:
        test = with_identification(USUAL, environment="2")
        assert "SEM VALOR FISCAL" in text_without_breaks(page(CANCELLATION, test))
        assert "SEM VALOR FISCAL" not in text_without_breaks(page(CANCELLATION))

    def test_event_page_has_the_issuers_logo(self) -> None:
        assert b"/Subtype /Image" in page(CANCELLATION, logo=png(300, 100))
        assert b"/Subtype /Image" not in page(CANCELLATION)

    def test_event_of_a_document_without_its_taker_is_printed(self) -> None:
        text = text_without_breaks(page(CANCELLATION, replace(USUAL, sender=None)))
        assert "TOMADOR DO SERVIÇO NOME / RAZÃO SOCIAL CNPJ / CPF INSCRIÇÃO ESTADUAL" in text

    def test_unknown_event_type_is_named_as_in_its_file(self) -> None:
        changes = ("<tpEvento>110111", "<tpEvento>110999"), (">Cancelamento<", ">Outro evento<")
        assert "Outro evento" in text_of(page(CANCELLATION, USUAL, *changes)).splitlines()
