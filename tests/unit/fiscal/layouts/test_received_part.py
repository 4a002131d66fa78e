"""Values of received files, whatever the rest of the file is."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from carimbo.fiscal.layouts.received_part import ReceivedPart, role_of, summed
from carimbo.fiscal.receiving import Role, TaxedAmount, UnreadFile

NAMESPACE = "http://example.com/layout"
BRANCH, HEAD_OFFICE, PERSON = "44455566000264", "44455566000183", "52998224725"


def part(inside: str) -> ReceivedPart:
    """Returns the root of a file."""
    return ReceivedPart.of_file(f'<root xmlns="{NAMESPACE}">{inside}</root>'.encode(), NAMESPACE)


def parties(*tax_ids: str) -> list[ReceivedPart]:
    """Returns parties with a CNPJ or CPF."""
    tags = {tax_id: "CNPJ" if len(tax_id) == len(BRANCH) else "CPF" for tax_id in tax_ids}
    return [part(f"<{tag}>{tax_id}</{tag}>") for tax_id, tag in tags.items()]


class TestText:
    def test_text_is_one_line_of_the_longest_text_of_the_layouts(self) -> None:
        assert part("<a><b> 1\n 2 </b></a>").text("a/b") == "1 2"
        assert len(part(f"<a>{'x' * 9000}</a>").required_text("a")) == 5000

    @pytest.mark.parametrize("inside", ["", "<a/>", "<a> </a>", '<a xmlns="other">1</a>'])
    def test_missing_and_empty_texts_are_the_same(self, inside: str) -> None:
        assert part(inside).text("a") is None
        with pytest.raises(UnreadFile, match=r"O XML não tem o campo a\.$"):
            part(inside).required_text("a")

    @pytest.mark.parametrize("value", ["1<!-- -->2", "<!-- -->12", "<x/>12", "1<?x?>2"])
    def test_value_with_a_comment_inside_is_refused(self, value: str) -> None:
        with pytest.raises(UnreadFile, match="O campo a/b tem elementos ou comentários no lugar do valor"):
            part(f"<a><b>{value}</b></a>").number("a/b")

    def test_star_finds_elements_of_the_layout_only(self) -> None:
        inner = part('<a><!-- --><?x?><x xmlns="other"/><b/><c/></a>').parts("a/*")
        assert [child.tag for child in inner] == ["b", "c"]


class TestNumber:
    @pytest.mark.parametrize(
        "text", ["0", "0.10", "9999999999999.99", "99999999999.1234567890", "999999999999.1234"]
    )
    def test_number_of_the_layouts_is_exact(self, text: str) -> None:
        assert part(f"<a>{text}</a>").required_number("a") == Decimal(text)

    @pytest.mark.parametrize(
        "text",
        [
            "-1",
            "+1",
            "1,5",
            ".5",
            "1.",
            "NaN",
            "1E9",
            "1_000",
            "١٢",
            "9999999999999.999",
            "1" * 14,
            "0" * 4000,
        ],
    )
    def test_other_text_is_refused_with_its_path(self, text: str) -> None:
        with pytest.raises(UnreadFile, match="O campo a não é um número"):
            part(f"<a>{text}</a>").number("a")

    def test_first_path_with_a_number_counts(self) -> None:
        assert part("<b>0</b><c>3</c>").number("a", "b", "c") == 0

    def test_whole_numbers_have_few_digits(self) -> None:
        assert part("<a>020</a>").required_integer("a", 3) == 20
        with pytest.raises(UnreadFile, match="O campo a não tem o formato do leiaute: “1000”"):
            part("<a>1000</a>").required_integer("a", 3)


class TestMoment:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2026-11-14T10:00:00-03:00", datetime(2026, 11, 14, 13, tzinfo=UTC)),
            ("2026-11-14T10:00:00", datetime(2026, 11, 14, 13, tzinfo=UTC)),
            ("2026-11-14T13:00:00Z", datetime(2026, 11, 14, 13, tzinfo=UTC)),
            ("2026-11-14T10:00:00.5-03:00", datetime(2026, 11, 14, 13, 0, 0, 500_000, tzinfo=UTC)),
        ],
    )
    def test_moment_may_have_a_fraction_and_lack_its_offset(self, text: str, expected: datetime) -> None:
        assert part(f"<a>{text}</a>").moment("a") == expected

    @pytest.mark.parametrize(
        "text",
        [
            "1999-12-31T23:59:59-03:00",
            "2100-01-01T00:00:00-03:00",
            "2026-13-01T00:00:00-03:00",
            "2026-11-14",
            "2026-11-14T10:00:00-99:00",
            "2026-11-14T25:00:00-03:00",
            "ontem",
        ],
    )
    def test_other_text_is_refused_with_its_path(self, text: str) -> None:
        with pytest.raises(UnreadFile, match="O campo a não é uma data e hora: “"):
            part(f"<a>{text}</a>").moment("a")


class TestTaxId:
    @pytest.mark.parametrize("tax_id", [BRANCH, PERSON, "12ABC34501DE35"])
    def test_tax_id_is_a_cnpj_or_a_cpf(self, tax_id: str) -> None:
        assert parties(tax_id)[0].tax_id() == tax_id

    @pytest.mark.parametrize("inside", ["", "<CNPJ/>", f"<CNPJ>{'0' * 14}</CNPJ>", "<CNPJ>1</CNPJ>"])
    def test_party_abroad_has_none(self, inside: str) -> None:
        assert part(inside).tax_id() is None
        with pytest.raises(UnreadFile, match="O grupo root não tem um CNPJ ou CPF válido"):
            part(inside).required_tax_id()


class TestRole:
    def test_another_establishment_of_the_company_is_somebody_else(self) -> None:
        roles = [(Role.RECIPIENT, parties(HEAD_OFFICE)), (Role.CARRIER, parties(PERSON, BRANCH))]
        assert role_of(BRANCH, roles) is Role.CARRIER
        assert role_of(BRANCH, roles[:1]) is Role.OTHER

    def test_party_abroad_is_nobody(self) -> None:
        assert role_of("00000000000191", [(Role.TAKER, parties("0" * 14))]) is Role.OTHER


class TestSums:
    def line(self, cst: str, amount: str) -> TaxedAmount:
        value = Decimal(amount)
        return TaxedAmount(cfop="5102", tax="icms", cst=cst, items=value, base=value, amount=value)

    def test_lines_with_the_same_codes_are_added_up(self) -> None:
        lines = [self.line("20", "1"), self.line("00", "1.10"), self.line("20", "2")]
        assert summed(lines) == (self.line("00", "1.10"), self.line("20", "3"))

    def test_sums_that_are_not_stored_are_refused(self) -> None:
        with pytest.raises(UnreadFile, match="altos demais"):
            summed([self.line("00", "9999999999999.99")] * 2)


@pytest.mark.parametrize("xml", [b"", b"<a", b"<root/>", b'<root xmlns="http://example.com/other"/>'])
def test_file_without_the_namespace_is_refused(xml: bytes) -> None:
    with pytest.raises(UnreadFile, match="O XML"):
        ReceivedPart.of_file(xml, NAMESPACE)
