"""The printed words for the codes of a note."""

import re
import unicodedata
from functools import cache
from importlib.resources import files

import pytest
from lxml import etree

from carimbo.fiscal.tables.statuses import NFSE_STATUSES, Action
from carimbo.printing.danfse import values


class TestWords:
    """Codes are printed in the words of the official XSD."""

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("TSEmitenteDPS", values.ISSUERS),
            ("TSRTCFinNFSe", values.PURPOSES),
            ("TSOpSimpNac", values.SIMPLES),
            ("TSRegimeApuracaoSimpNac", values.SIMPLES_ASSESSMENTS),
            ("TSTribISSQN", values.TAXATIONS),
            ("TSRegEspTrib", values.SPECIAL_REGIMES),
            ("TSOpExigSuspensa", values.SUSPENSIONS),
            ("TSTipoRetISSQN", values.WITHHOLDERS),
            ("TSTipoRetPISCofins", values.FEDERAL_WITHHOLDINGS),
            ("TSCodNaoNIF", values.NO_FOREIGN_ID),
            ("TSCodJustCanc", values.CANCELLATIONS),
            ("TSCodJustSubst", values.SUBSTITUTIONS),
        ],
    )
    def test_words_of_every_code_are_the_official_ones(self, name: str, words: dict[str, str]) -> None:
        plain = {code: _plain(text.removeprefix(f"{code} - ")) for code, text in words.items()}
        assert plain == _official(name)

    def test_words_of_a_status_are_those_of_the_table(self) -> None:
        issued = {
            code: status for code, status in NFSE_STATUSES.items() if status.action is Action.AUTHORIZED
        }
        assert {code: _plain(status.text) for code, status in issued.items()} == _official("TStat")

    def test_words_of_an_immunity_are_shortened_where_there_is_no_room(self) -> None:
        official = _official("TSTipoImunidadeISSQN")
        plain = {code: _plain(text) for code, text in values.IMMUNITIES.items()}
        assert {code for code in plain if plain[code] != official[code]} == {"3", "5"}
        assert plain.keys() == official.keys()
        for code in ("3", "5"):
            assert _article(plain[code]) == _article(official[code])

    def test_words_of_a_benefit_contain_no_amount(self) -> None:
        # The words of TBMISSQN contain the rate or the amount of the benefit.
        assert values.BENEFITS == {
            "1": "Isenção",
            "2": "Redução da BC em percentual",
            "3": "Redução da BC em valor",
            "4": "Alíquota Diferenciada",
        }

    def test_unknown_code_is_printed_as_it_is(self) -> None:
        assert values.in_words(values.ISSUERS, "999") == "999"

    def test_missing_code_is_printed_as_a_hyphen(self) -> None:
        assert values.in_words(values.ISSUERS, None) == "-"


def _article(text: str) -> str:
    """Returns the article of the Constitution."""
    return text[text.rindex("(") :]


@cache
def _types() -> etree._Element:
    xsd = files("nfelib") / "nfse/schemas/v1_0/tiposSimples_v1.01.xsd"
    return etree.fromstring(xsd.read_bytes())


def _official(name: str) -> dict[str, str]:
    """Returns the codes of a type with their documentation."""
    (definition,) = (
        definition for definition in _types().iterchildren("{*}simpleType") if definition.get("name") == name
    )
    documented = definition.findtext(".//{*}documentation") or ""
    codes = [str(entry.get("value")) for entry in definition.iter("{*}enumeration")]
    listed = re.split(rf"(?:^|\s)({'|'.join(codes)})\s+[-–]\s", documented)[1:]
    return {code: _plain(text) for code, text in zip(listed[::2], listed[1::2], strict=True)}


def _plain(text: str) -> str:
    """Removes accents, which the XSD sometimes leaves out."""
    apart = unicodedata.normalize("NFKD", " ".join(text.split()).rstrip(";. "))
    return "".join(character for character in apart if not unicodedata.combining(character))
