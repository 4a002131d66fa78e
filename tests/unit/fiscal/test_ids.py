"""Identifiers that contain access keys."""

import pytest

from carimbo.fiscal.identity.access_key import (
    AccessKey,
    InvalidId,
    document_id,
    dps_id,
    event_id,
    inutilization_id,
    nfse_event_id,
)
from unit.fiscal.keys import MDFE, NFE, NFSE_KEY, OFFLINE_NFCE, PUBLISHED


class TestIds:
    @pytest.mark.parametrize(
        ("key", "expected"),
        [
            (NFE, f"NFe{NFE}"),
            (OFFLINE_NFCE, f"NFe{OFFLINE_NFCE}"),
            (PUBLISHED[2], f"CTe{PUBLISHED[2]}"),
            (MDFE, f"MDFe{MDFE}"),
        ],
    )
    def test_document_id_begins_with_the_name_of_its_model(self, key: str, expected: str) -> None:
        assert document_id(AccessKey.parse(key)) == expected

    def test_event_of_nfe_has_a_sequence_of_two_digits(self) -> None:
        assert event_id("110111", AccessKey.parse(NFE), 1) == f"ID110111{NFE}01"

    def test_event_of_cte_has_a_sequence_of_three_digits(self) -> None:
        assert event_id("110111", AccessKey.parse(PUBLISHED[2]), 1, 3) == f"ID110111{PUBLISHED[2]}001"

    @pytest.mark.parametrize("sequence", [-1, 100])
    def test_sequence_that_does_not_fit_is_refused(self, sequence: int) -> None:
        with pytest.raises(InvalidId, match=r"^As partes não compõem um Id de 54 caracteres\.$"):
            event_id("110111", AccessKey.parse(NFE), sequence)

    @pytest.mark.parametrize("sequence", [-10, 1000])
    def test_sequence_of_three_digits_that_does_not_fit_is_refused(self, sequence: int) -> None:
        with pytest.raises(InvalidId, match="Id de 55 caracteres"):
            event_id("110111", AccessKey.parse(PUBLISHED[2]), sequence, 3)

    @pytest.mark.parametrize("cnpj", ["11222333000181", "12ABC34501DE35"])
    def test_inutilization_id_contains_its_range(self, cnpj: str) -> None:
        expected = f"ID3526{cnpj}55001000000010000000012"
        assert inutilization_id("35", "26", cnpj, "55", 1, 10, 12) == expected

    @pytest.mark.parametrize("cnpj", ["1122233300018", '1122233300018"', "11.222.333/0001-81"])
    def test_inutilization_by_anything_but_a_cnpj_is_refused(self, cnpj: str) -> None:
        with pytest.raises(InvalidId, match="Id de 43 caracteres"):
            inutilization_id("35", "26", cnpj, "55", 1, 10, 12)

    @pytest.mark.parametrize(
        ("series", "first", "last"),
        [(1000, 10, 12), (-1, 10, 12), (1, 10**9, 12), (1, -5, 12), (1, 10, 10**9)],
    )
    def test_inutilization_of_numbers_that_do_not_fit_is_refused(
        self, series: int, first: int, last: int
    ) -> None:
        with pytest.raises(InvalidId, match="Id de 43 caracteres"):
            inutilization_id("35", "26", "11222333000181", "55", series, first, last)

    def test_dps_id_contains_the_city_the_owner_and_its_number(self) -> None:
        expected = "DPS355030821122233300018100001000000000000003"
        assert dps_id("3550308", "11222333000181", 1, 3) == expected

    def test_dps_id_of_a_person_has_the_padded_cpf(self) -> None:
        expected = "DPS355030810001234567890900001000000000000003"
        assert dps_id("3550308", "12345678909", 1, 3) == expected

    @pytest.mark.parametrize(("city", "number"), [("355030", 3), ("3550308", 10**15)])
    def test_dps_of_parts_that_do_not_fit_is_refused(self, city: str, number: int) -> None:
        with pytest.raises(InvalidId, match="Id de 45 caracteres"):
            dps_id(city, "11222333000181", 1, number)

    def test_event_of_nfse_with_half_a_key_is_refused(self) -> None:
        with pytest.raises(InvalidId, match="Id de 59 caracteres"):
            nfse_event_id("101101", NFSE_KEY[:25])

    def test_event_id_of_nfse_has_59_characters(self) -> None:
        assert nfse_event_id("101101", NFSE_KEY) == f"PRE{NFSE_KEY}101101"
