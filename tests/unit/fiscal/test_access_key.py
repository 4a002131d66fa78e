"""Access keys."""

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from string import ascii_uppercase, digits

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from carimbo.fiscal.identity.access_key import (
    AccessKey,
    InvalidAccessKey,
    check_digit,
    choose_numeric_code,
    is_allowed_numeric_code,
)
from carimbo.fiscal.tables.geography import STATES
from unit.fiscal.keys import MDFE, NFE, NFSE_KEY, OFFLINE_NFCE, PUBLISHED, with_parts

WITH_LETTERS = "35261112ABC34501DE35550010000000071123456860"
BRASILIA = timezone(timedelta(hours=-3))

keys = st.builds(
    AccessKey,
    state_code=st.sampled_from([state.ibge for state in STATES.values()]),
    year_month=st.builds("{:02d}{:02d}".format, st.integers(0, 99), st.integers(1, 12)),
    tax_id=st.builds(
        str.__add__,
        st.text(digits + ascii_uppercase, min_size=12, max_size=12),
        st.text(digits, min_size=2, max_size=2),
    ),
    model=st.sampled_from(["55", "65", "57", "67", "58"]),
    series=st.integers(0, 999),
    number=st.integers(1, 999_999_999),
    emission_type=st.sampled_from(digits),
    numeric_code=st.text(digits, min_size=8, max_size=8),
)


def remainder(characters: str) -> int:
    """Returns the sum of the check digit, by the table of weights in the manual."""
    weights = [4, 3, 2, *[9, 8, 7, 6, 5, 4, 3, 2] * 5]
    return (
        sum((ord(character) - 48) * weight for character, weight in zip(characters, weights, strict=True))
        % 11
    )


class TestCheckDigit:
    @pytest.mark.parametrize("key", [NFE, WITH_LETTERS, MDFE, OFFLINE_NFCE, *PUBLISHED])
    def test_check_digits_of_published_keys_agree(self, key: str) -> None:
        assert check_digit(key[:-1]) == key[-1]

    def test_check_digit_of_a_national_nfse_key_agrees(self) -> None:
        assert check_digit(NFSE_KEY[:-1]) == NFSE_KEY[-1]

    @given(keys)
    def test_check_digit_is_zero_for_remainders_below_two_and_else_eleven_minus_it(
        self, key: AccessKey
    ) -> None:
        left = remainder(str(key)[:-1])
        assert str(key)[-1] == ("0" if left < 2 else str(11 - left))


class TestCompose:
    def test_parts_are_in_their_positions(self) -> None:
        key = AccessKey("35", "2611", "11222333000181", "55", 1, 1, "1", "12345680")
        assert str(key) == NFE

    def test_letters_of_the_cnpj_are_kept(self) -> None:
        assert str(AccessKey("35", "2611", "12ABC34501DE35", "55", 1, 7, "1", "12345686")) == WITH_LETTERS

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("state_code", "99"),
            ("state_code", "3"),
            ("year_month", "2613"),
            ("year_month", "202611"),
            ("tax_id", "12345678909"),
            ("tax_id", "12abc34501de35"),
            ("model", "5"),
            ("series", 1000),
            ("series", -1),
            ("number", 0),
            ("number", 1_000_000_000),
            ("emission_type", ""),
            ("numeric_code", "1234568"),
            ("numeric_code", "١٢٣٤٥٦٨٠"),
        ],
    )
    def test_part_that_does_not_fit_is_refused(self, field: str, value: str | int) -> None:
        with pytest.raises(InvalidAccessKey):
            with_parts(AccessKey.parse(NFE), **{field: value})

    @given(keys)
    def test_key_can_be_split_into_its_parts(self, key: AccessKey) -> None:
        assert with_parts(key) == key
        assert key.check_digit == key[-1]

    @given(keys)
    def test_key_can_be_copied_and_pickled(self, key: AccessKey) -> None:
        for again in (copy.deepcopy(key), pickle.loads(pickle.dumps(key))):
            assert (again, type(again)) == (key, AccessKey)

    def test_wrong_lengths_of_parts_do_not_cancel_each_other_out(self) -> None:
        with pytest.raises(InvalidAccessKey):
            AccessKey("35", "2611", "11222333000181", "5", 1000, 1, "1", "12345680")


class TestKeyOfAnIssue:
    def key(self, issued_at: datetime, tax_id: str = "11222333000181") -> AccessKey:
        return AccessKey.of_issue(
            issued_at,
            state_code="35",
            tax_id=tax_id,
            model="55",
            series=1,
            number=1,
            emission_type="1",
            numeric_code="12345680",
        )

    def test_month_is_that_of_the_written_offset(self) -> None:
        last_hours = datetime(2026, 11, 30, 22, 0, tzinfo=BRASILIA)
        assert self.key(last_hours).year_month == "2611"
        assert self.key(last_hours.astimezone(UTC)).year_month == "2612"

    def test_cpf_is_padded_with_zeros(self) -> None:
        assert self.key(datetime(2026, 11, 1, tzinfo=BRASILIA), "12345678909").tax_id == "00012345678909"

    def test_moment_without_offset_is_refused(self) -> None:
        with pytest.raises(InvalidAccessKey, match="fuso"):
            self.key(datetime(2026, 11, 1))  # noqa: DTZ001


class TestParse:
    @given(keys)
    def test_written_key_is_read_back(self, key: AccessKey) -> None:
        assert AccessKey.parse(str(key)) == key

    def test_groups_of_four_and_small_letters_are_read(self) -> None:
        printed = " ".join(WITH_LETTERS[start : start + 4] for start in range(0, 44, 4)).lower()
        assert str(AccessKey.parse(f" {printed} ")) == WITH_LETTERS

    @pytest.mark.parametrize("key", [NFE, WITH_LETTERS, MDFE, OFFLINE_NFCE, *PUBLISHED])
    def test_published_keys_are_read(self, key: str) -> None:
        assert str(AccessKey.parse(key)) == key

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "44 caracteres, e esta tem 0"),
            (NFE[:-1], "44 caracteres, e esta tem 43"),
            (NFE * 100_000, "44 caracteres, e esta tem 4400000"),
            (f"A{NFE[1:]}", "só tem algarismos"),
            (f"{NFE[:43]}X", "só tem algarismos"),
            (NFE.replace("3", "３"), "só tem algarismos"),
            (f"{NFE[:25]}000000000{NFE[34:]}", "só tem algarismos"),
            (f"99{NFE[2:]}", "código de estado: 99"),
            (f"{NFE[:4]}13{NFE[6:]}", "mês da chave de acesso não existe: 13"),
            (f"{NFE[:-1]}7", "dígito verificador"),
        ],
    )
    def test_error_message_gives_the_reason_in_portuguese(self, text: str, reason: str) -> None:
        with pytest.raises(InvalidAccessKey, match=reason):
            AccessKey.parse(text)

    @given(keys, st.integers(0, 42), st.sampled_from(digits + ascii_uppercase))
    def test_one_changed_character_is_refused_where_modulo_11_detects_it(
        self, key: AccessKey, place: int, other: str
    ) -> None:
        # It cannot distinguish characters eleven apart ("6" and "A"), nor a remainder of 0 from one of 1.
        before = str(key)[:-1]
        changed = before[:place] + other + before[place + 1 :]
        assume(changed != before)
        assume(remainder(changed) != remainder(before))
        assume({remainder(changed), remainder(before)} != {0, 1})
        with pytest.raises(InvalidAccessKey):
            AccessKey.parse(changed + str(key)[-1])

    @given(st.text(max_size=60))
    def test_other_texts_are_refused_as_invalid_keys(self, text: str) -> None:
        with pytest.raises(InvalidAccessKey):
            AccessKey.parse(text)


class TestNumericCode:
    @pytest.mark.parametrize("code", ["00000000", "11111111", "99999999", "12345678", "01234567", "90123456"])
    def test_trivial_numeric_codes_are_not_allowed(self, code: str) -> None:
        assert not is_allowed_numeric_code(code, 1)

    @pytest.mark.parametrize(("code", "number"), [("00000042", 42), ("23456780", 123456780)])
    def test_numeric_code_must_not_be_the_last_digits_of_the_number(self, code: str, number: int) -> None:
        assert not is_allowed_numeric_code(code, number)

    @pytest.mark.parametrize("code", ["1234568", "123456800", "1234568A", "١٢٣٤٥٦٨٠", ""])
    def test_numeric_code_must_have_eight_digits(self, code: str) -> None:
        assert not is_allowed_numeric_code(code, 1)

    def test_other_numeric_codes_are_allowed(self) -> None:
        assert is_allowed_numeric_code("12345680", 1)

    def test_disallowed_draws_are_repeated(self) -> None:
        draws = iter([0, 12345678, 42, -1, 100_000_000, 7])
        assert choose_numeric_code(42, lambda: next(draws)) == "00000007"

    def test_broken_random_source_raises_an_error(self) -> None:
        with pytest.raises(RuntimeError):
            choose_numeric_code(1, lambda: 0)

    @given(st.integers(1, 999_999_999), st.integers(0, 99_999_999))
    def test_chosen_code_is_always_allowed(self, number: int, first: int) -> None:
        draws = iter(range(first, first + 20))
        assert is_allowed_numeric_code(choose_numeric_code(number, lambda: next(draws) % 10**8), number)
