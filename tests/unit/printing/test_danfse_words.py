"""What the codes of a note are called on paper."""

import re
import unicodedata
from functools import cache
from importlib.resources import files

import pytest
from lxml import etree

from carimbo.fiscal.tables.statuses import NFSE_STATUSES, Action
from carimbo.printing.danfse import words


class TestWords:
    """Codes are told in the words of the official XSD."""

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("TSEmitenteDPS", words.ISSUERS),
            ("TSRTCFinNFSe", words.PURPOSES),
            ("TSOpSimpNac", words.SIMPLES),
            ("TSRegimeApuracaoSimpNac", words.SIMPLES_ASSESSMENTS),
            ("TSTribISSQN", words.TAXATIONS),
            ("TSRegEspTrib", words.SPECIAL_REGIMES),
            ("TSOpExigSuspensa", words.SUSPENSIONS),
            ("TSTipoRetISSQN", words.WITHHOLDERS),
            ("TSTipoRetPISCofins", words.FEDERAL_WITHHOLDINGS),
            ("TSCodNaoNIF", words.NO_FOREIGN_ID),
            ("TSCodJustCanc", words.CANCELLATIONS),
            ("TSCodJustSubst", words.SUBSTITUTIONS),
        ],
    )
    def test_are_those_of_every_code(self, name: str, told: dict[str, str]) -> None:
        plain = {code: _plain(text.removeprefix(f"{code} - ")) for code, text in told.items()}
        assert plain == _official(name)

    def test_of_a_status_are_those_of_the_table(self) -> None:
        issued = {code: one for code, one in NFSE_STATUSES.items() if one.action is Action.AUTHORIZED}
        assert {code: _plain(status.text) for code, status in issued.items()} == _official("TStat")

    def test_of_an_immunity_are_shorter_where_the_paper_has_no_room(self) -> None:
        official = _official("TSTipoImunidadeISSQN")
        plain = {code: _plain(text) for code, text in words.IMMUNITIES.items()}
        assert {code for code in plain if plain[code] != official[code]} == {"3", "5"}
        assert plain.keys() == official.keys()
        for code in ("3", "5"):
            assert _article(plain[code]) == _article(official[code])

    def test_of_a_benefit_name_no_amount(self) -> None:
        # TBMISSQN has the rate or the amount of the benefit within its words.
        assert words.BENEFITS == {
            "1": "Isenção",
            "2": "Redução da BC em percentual",
            "3": "Redução da BC em valor",
            "4": "Alíquota Diferenciada",
        }

    def test_of_a_code_of_a_later_layout_are_the_code(self) -> None:
        assert words.in_words(words.ISSUERS, "999") == "999"

    def test_of_no_code_are_a_hyphen(self) -> None:
        assert words.in_words(words.ISSUERS, None) == "-"


def _article(text: str) -> str:
    """Where the Constitution says it."""
    return text[text.rindex("(") :]


@cache
def _types() -> etree._Element:
    xsd = files("nfelib") / "nfse/schemas/v1_0/tiposSimples_v1.01.xsd"
    return etree.fromstring(xsd.read_bytes())


def _official(name: str) -> dict[str, str]:
    """The codes of a type with what its documentation says of each."""
    (found,) = (one for one in _types().iterchildren("{*}simpleType") if one.get("name") == name)
    documented = found.findtext(".//{*}documentation") or ""
    codes = [str(one.get("value")) for one in found.iter("{*}enumeration")]
    listed = re.split(rf"(?:^|\s)({'|'.join(codes)})\s+[-–]\s", documented)[1:]
    return {code: _plain(text) for code, text in zip(listed[::2], listed[1::2], strict=True)}


def _plain(text: str) -> str:
    """Without accents, which the XSD leaves out at times."""
    apart = unicodedata.normalize("NFKD", " ".join(text.split()).rstrip(";. "))
    return "".join(one for one in apart if not unicodedata.combining(one))
