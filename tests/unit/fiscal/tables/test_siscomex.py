"""The nomenclature as Portal Único Siscomex publishes it."""

import json
from datetime import date
from typing import Any

import pytest

from carimbo.fiscal.tables.goods_codes import NCMS, Ncm
from carimbo.fiscal.tables.siscomex import Nomenclature, NomenclatureUnusable, read_nomenclature

FOR_GOOD = "31/12/9999"


def line(code: str, text: str, since: str = "01/04/2022", until: str = FOR_GOOD) -> dict[str, str]:
    act = {"Tipo_Ato_Ini": "Res Gecex", "Numero_Ato_Ini": "000272", "Ano_Ato_Ini": "2021"}
    return {"Codigo": code, "Descricao": text, "Data_Inicio": since, "Data_Fim": until, **act}


HORSES = [
    line("01", "Animais vivos."),
    line("01.01", "Cavalos, asininos e muares, vivos."),
    line("0101.2", "- Cavalos:"),
    line("0101.21.00", "-- Reprodutores de raça pura"),
]


def published(lines: list[dict[str, str]], **also: Any) -> bytes:
    day = {"Data_Ultima_Atualizacao_NCM": "Vigente em 16/11/2026", "Ato": "Resolução Gecex nº 812/2025"}
    return json.dumps({**day, "Nomenclaturas": lines, **also}, ensure_ascii=False).encode()


def read(lines: list[dict[str, str]], previous: dict[str, Ncm] | None = None) -> tuple[Ncm, ...]:
    return read_nomenclature(published(lines), previous or {}).rows


class TestRows:
    def test_rows_are_the_items_with_the_texts_above_them(self) -> None:
        (row,) = read(HORSES)
        assert row.code == "01012100"
        assert row.description == NCMS["01012100"].description

    def test_rows_have_the_texts_of_every_level(self) -> None:
        lines = [
            line("01.02", "Animais vivos da espécie bovina."),
            line("0102.2", "- Bovinos domésticos:"),
            line("0102.21", "-- Reprodutores de raça pura"),
            line("0102.21.1", "Prenhes"),
            line("0102.21.10", "De <i>Bos  taurus</i> de peso < 3 kg"),
        ]
        (row,) = read(lines)
        assert row.description == (
            "Animais vivos da espécie bovina. - Bovinos domésticos: -- Reprodutores de raça pura"
            " Prenhes De Bos taurus de peso < 3 kg"
        )

    def test_rows_have_their_validity(self) -> None:
        lasting, ending = read([line("0101.21.00", "a"), line("0101.29.00", "b", until="31/12/2026")])
        assert (lasting.since, lasting.until) == (date(2022, 4, 1), None)
        assert ending.until == date(2026, 12, 31)

    def test_rows_that_have_ended_are_left_out(self) -> None:
        lines = [line("0101.29.00", "b", until="15/11/2026"), line("0101.21.00", "a", until="16/11/2026")]
        assert [row.code for row in read(lines)] == ["01012100"]

    def test_rows_with_a_future_text_keep_the_current_one(self) -> None:
        lines = [
            line("0101.21.00", "novo", since="01/12/2026"),
            line("0101.21.00", "velho", until="30/11/2026"),
        ]
        assert [row.description for row in read(lines)] == ["velho"]
        assert [row.description for row in read(lines[::-1])] == ["velho"]

    def test_rows_are_in_the_order_of_codes(self) -> None:
        rows = read([line("0101.29.00", "b"), line("0101.21.00", "a")])
        assert [row.code for row in rows] == ["01012100", "01012900"]

    def test_rows_keep_the_previous_units(self) -> None:
        rows = read([*HORSES, line("0101.22.00", "-- Novos")], {"01012100": NCMS["01012100"]})
        assert [row.unit for row in rows] == ["UN", None]

    def test_code_00000000_for_items_that_are_not_goods_is_kept(self) -> None:
        rows = read(HORSES, {"00000000": NCMS["00000000"], "99999999": NCMS["69120000"]})
        assert rows[0] is NCMS["00000000"]
        assert [row.code for row in rows] == ["00000000", "01012100"]


class TestPublishedFile:
    def test_published_file_has_its_day_and_act(self) -> None:
        nomenclature = read_nomenclature(published(HORSES), {})
        assert isinstance(nomenclature, Nomenclature)
        assert (nomenclature.date, nomenclature.act) == (date(2026, 11, 16), "Resolução Gecex nº 812/2025")

    def test_published_file_may_begin_with_a_byte_order_mark(self) -> None:
        assert read_nomenclature(b"\xef\xbb\xbf" + published(HORSES), {}).rows == read(HORSES)

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "não é um JSON"),
            (b"code,unit\n", "não é um JSON"),
            (published(HORSES)[:-5], "não é um JSON"),
            (published(HORSES).decode().encode("cp1252"), "não é um JSON em UTF-8"),
            (b"[]", "não tem a forma da tabela oficial"),
            (b"{}", "“Data_Ultima_Atualizacao_NCM” falta ou não serve"),
            (published(HORSES, Data_Ultima_Atualizacao_NCM="ontem"), "“Data_Ultima_Atualizacao_NCM”"),
            (published(HORSES, Data_Ultima_Atualizacao_NCM="30/02/2026"), "“Data_Ultima_Atualizacao_NCM”"),
            (published(HORSES, Ato=" "), "“Ato”"),
            (published([], Nomenclaturas=None), "“Nomenclaturas”"),
            (published([*HORSES, {"Codigo": "0101.22.00"}]), "“Nomenclaturas 5 Descricao”"),
            (published([line("0101-21", "x")]), "“Nomenclaturas 1 Codigo”"),
            (published([line("0101.21.00.1", "x")]), "“Nomenclaturas 1 Codigo”"),
            (published([line("0101.21.00", "<b> </b>")]), "“Nomenclaturas 1 Descricao”"),
            (published([line("0101.21.00", "a\0b")]), "“Nomenclaturas 1 Descricao”"),
            (published([line("0101.21.00", "x", until="")]), "“Nomenclaturas 1 Data_Fim”"),
            (published([line("0101.21.00", "x", since="2022-04-01")]), "“Nomenclaturas 1 Data_Inicio”"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_published_file_of_another_form_is_refused(self, content: bytes, reason: str) -> None:
        with pytest.raises(NomenclatureUnusable) as refused:
            read_nomenclature(content, {})
        assert reason in str(refused.value)
