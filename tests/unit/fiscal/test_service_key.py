"""Keys of the national NFS-e: read, taken apart, and put together."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.service_key import InvalidServiceKey, ServiceKey
from support import CNPJ, OTHER_CNPJ

CPF = "52998224725"
# Of a real note.
KEY = "15054862244827692000111000000000001625125368470067"
NFE = "35261111222333000181550010000000011123456806"


def key_of(tax_id: str = CNPJ, number: int = 123, code: str = "123456789") -> ServiceKey:
    return ServiceKey("3550308", "2", tax_id, number, "2611", code)


class TestParse:
    def test_a_real_key_says_who_issued_what_and_when(self) -> None:
        key = ServiceKey.parse(KEY)
        assert (key.city_code, key.generator, key.tax_id) == ("1505486", "2", "44827692000111")
        assert (key.number, key.year_month, key.numeric_code, key.check_digit) == (
            16,
            "2512",
            "536847006",
            "7",
        )

    def test_people_write_it_in_groups_and_in_small_letters(self) -> None:
        key = key_of(OTHER_CNPJ)
        spaced = " ".join(key[start : start + 4] for start in range(0, 50, 4)).lower()
        assert ServiceKey.parse(spaced) == key

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "50 caracteres"),
            (KEY[:-1], "50 caracteres"),
            (f"{KEY}0", "50 caracteres"),
            (NFE, "50 caracteres"),
            (f"{KEY[:-1]}8", "dígito verificador"),
            (f"{KEY[:7]}3{KEY[8:]}", "fora do formato"),
            (f"{KEY[:8]}3{KEY[9:]}", "fora do formato"),
            (f"{KEY[:8]}1{KEY[9:]}", "fora do formato"),
            (f"{KEY[:38]}13{KEY[40:]}", "fora do formato"),
            (f"A{KEY[1:]}", "fora do formato"),
            (KEY.replace("0", "٠"), "fora do formato"),
        ],
    )
    def test_other_texts_are_refused(self, text: str, told: str) -> None:
        with pytest.raises(InvalidServiceKey, match=told) as refused:
            ServiceKey.parse(text)
        assert "44827692000111" not in str(refused.value)

    @given(
        tax_id=st.sampled_from([CNPJ, OTHER_CNPJ, CPF]),
        number=st.integers(1, 10**13 - 1),
        code=st.integers(0, 10**9 - 1),
    )
    def test_reads_what_was_put_together(self, tax_id: str, number: int, code: int) -> None:
        key = key_of(tax_id, number, f"{code:09d}")
        assert ServiceKey.parse(key) == key
        assert (len(key), key.tax_id, key.number, key.numeric_code) == (50, tax_id, number, f"{code:09d}")


class TestParts:
    def test_letters_stand_in_the_cnpj(self) -> None:
        assert key_of(OTHER_CNPJ) == f"355030822{OTHER_CNPJ}000000000012326111234567896"

    def test_a_person_has_a_padded_cpf(self) -> None:
        assert key_of(CPF)[:23] == f"355030821000{CPF}"

    @pytest.mark.parametrize(
        "parts",
        [
            ("355030", "2", CNPJ, 123, "2611", "123456789"),
            ("3550308", "3", CNPJ, 123, "2611", "123456789"),
            ("3550308", "2", "123", 123, "2611", "123456789"),
            ("3550308", "2", "52998224724", 123, "2611", "123456789"),
            ("3550308", "2", CNPJ, 0, "2611", "123456789"),
            ("3550308", "2", CNPJ, 10**13, "2611", "123456789"),
            ("3550308", "2", CNPJ, 123, "2613", "123456789"),
            ("3550308", "2", CNPJ, 123, "2611", "12345678"),
        ],
    )
    def test_that_do_not_fit_are_refused(self, parts: tuple[str, str, str, int, str, str]) -> None:
        with pytest.raises(InvalidServiceKey):
            ServiceKey(*parts)

    @pytest.mark.parametrize("tax_id", [CNPJ, OTHER_CNPJ, CPF])
    def test_a_copy_is_the_same_key(self, tax_id: str) -> None:
        key = key_of(tax_id)
        for again in (copy.deepcopy(key), pickle.loads(pickle.dumps(key))):
            assert (again, type(again)) == (key, ServiceKey)
