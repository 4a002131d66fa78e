"""Keys of the national NFS-e, as people write them."""

import pytest

from carimbo.fiscal.identity.access_key import parse_service_key
from support import OTHER_CNPJ

# Of a real note.
KEY = "15054862244827692000111000000000001625125368470067"
WITH_LETTERS = f"355030822{OTHER_CNPJ}000000000012326111234567896"
OF_A_PERSON = "35503082100052998224725000000000012326111234567895"
NFE = "35261111222333000181550010000000011123456806"


class TestParse:
    @pytest.mark.parametrize("key", [KEY, WITH_LETTERS, OF_A_PERSON])
    def test_keys_of_companies_and_persons_are_read(self, key: str) -> None:
        assert parse_service_key(key) == key

    def test_key_may_be_in_groups_and_in_small_letters(self) -> None:
        spaced = " ".join(WITH_LETTERS[start : start + 4] for start in range(0, 50, 4)).lower()
        assert parse_service_key(spaced) == WITH_LETTERS

    @pytest.mark.parametrize(
        "text",
        [
            "",
            KEY[:-1],
            f"{KEY}0",
            NFE,
            f"{KEY[:-1]}8",
            f"{KEY[:7]}3{KEY[8:]}",
            f"{KEY[:8]}3{KEY[9:]}",
            f"{KEY[:8]}1{KEY[9:]}",
            f"{KEY[:23]}{'0' * 13}{KEY[36:-1]}2",
            f"{KEY[:38]}13{KEY[40:-1]}4",
            f"A{KEY[1:]}",
            KEY.replace("0", "٠"),
        ],
    )
    def test_error_message_does_not_contain_the_taxpayer(self, text: str) -> None:
        with pytest.raises(ValueError, match="50 posições") as refused:
            parse_service_key(text)
        assert "44827692000111" not in str(refused.value)
