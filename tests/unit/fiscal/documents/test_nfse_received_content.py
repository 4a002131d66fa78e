"""What received NFS-e say: parties, service, totals and taxes."""

from decimal import Decimal
from pathlib import Path

from carimbo.fiscal.documents.nfse.received import RECEIVING
from carimbo.fiscal.receiving import TaxedAmount
from unit.fiscal.layouts.test_dps_v1_nfse import NOTE
from unit.printing.issued_notes import issued

EXAMPLES = Path(__file__).parents[4] / "examples/nfse"
PROVIDER = "11222333000181"
BRANCH = "<prest><CNPJ>11222333000262"
BY_PROVIDER = NOTE.replace(BRANCH, f"<prest><CNPJ>{PROVIDER}")
"""The note, issued by its provider."""


def example(name: str) -> bytes:
    """Returns an example with the authority's part around it."""
    return issued((EXAMPLES / f"{name}.xml").read_bytes())


def lines_of(xml: bytes) -> dict[str, TaxedAmount]:
    return {line.tax: line for line in RECEIVING.amounts(xml)}


class TestDetails:
    def test_parties_have_names_and_places(self) -> None:
        parties = {party.role: party for party in RECEIVING.details(BY_PROVIDER.encode()).parties}
        assert set(parties) == {"issuer", "taker"}
        issuer = parties["issuer"]
        assert (issuer.tax_id, issuer.name, issuer.city, issuer.state) == (
            PROVIDER,
            "EMPRESA TESTE LTDA",
            "São Paulo",
            "SP",
        )
        assert parties["taker"].city

    def test_provider_is_a_party_if_the_taker_issues_the_note(self) -> None:
        xml = BY_PROVIDER.replace(f"<emit><CNPJ>{PROVIDER}", "<emit><CNPJ>44555666000181")
        parties = {party.role: party.tax_id for party in RECEIVING.details(xml.encode()).parties}
        assert (parties["issuer"], parties["provider"]) == ("44555666000181", PROVIDER)

    def test_party_abroad_has_its_city_only(self) -> None:
        parties = {party.role: party for party in RECEIVING.details(example("foreign-taker")).parties}
        taker = parties["taker"]
        assert (taker.tax_id, taker.state) == (None, None)
        assert taker.city

    def test_service_has_the_names_of_our_requests(self) -> None:
        (service,) = RECEIVING.details(NOTE.encode()).items
        assert set(service) <= {
            "serviceDescription",
            "federalServiceCode",
            "cityServiceCode",
            "nbs",
            "amount",
        }
        assert service["amount"] == Decimal("1234.50")
        assert service["serviceDescription"]

    def test_totals_are_those_of_the_authority(self) -> None:
        totals = RECEIVING.details(NOTE.encode()).totals
        assert (
            totals.items()
            >= {
                "amount": Decimal("1234.50"),
                "issBase": Decimal("900.00"),
                "issRate": Decimal("2.00"),
                "issAmount": Decimal("18.00"),
                "totalWithheld": Decimal("36.50"),
                "netAmount": Decimal("963.50"),
                "ibsCbsBase": Decimal("945.50"),
                "ibsAmount": Decimal("0.95"),
                "cbsAmount": Decimal("8.51"),
                "totalDue": Decimal("1000.00"),
            }.items()
        )

    def test_notes_are_those_of_issuer_and_municipality(self) -> None:
        details = RECEIVING.details(NOTE.encode())
        assert details.nature == "Análise e desenvolvimento de sistemas."
        assert details.additional_information is not None
        assert details.additional_information.endswith("Uso do município")

    def test_details_are_an_answer_in_json(self) -> None:
        answer = RECEIVING.details(NOTE.encode()).model_dump(mode="json")
        assert answer["totals"]["netAmount"] == 963.5


class TestAmounts:
    def test_taxes_of_the_reform_have_their_cst(self) -> None:
        lines = lines_of(NOTE.encode())
        price = Decimal("1234.50")
        assert lines["iss"] == TaxedAmount(
            cfop="", tax="iss", cst="", items=price, base=Decimal(900), amount=Decimal(18)
        )
        assert lines["ibs"] == TaxedAmount(
            cfop="", tax="ibs", cst="000", items=price, base=Decimal("945.50"), amount=Decimal("0.95")
        )
        assert lines["cbs"].amount == Decimal("8.51")

    def test_withholdings_are_taxes_of_their_own(self) -> None:
        lines = lines_of(example("withholdings"))
        assert {"iss", "inssWithheld", "irWithheld", "csllWithheld"} <= set(lines)
        assert "issWithheld" not in lines
        assert lines["irWithheld"].amount > 0
        assert lines["irWithheld"].base == 0

    def test_withheld_iss_is_a_tax_of_its_own(self) -> None:
        xml = example("takers-city")
        lines = lines_of(xml)
        assert lines["issWithheld"].amount == lines["iss"].amount > 0
        assert RECEIVING.details(xml).totals["issWithheld"] == lines["iss"].amount

    def test_own_debit_of_the_provider_has_its_cst(self) -> None:
        lines = lines_of(example("own-debit"))
        assert lines["pis"].cst == lines["cofins"].cst
        assert 0 < lines["pis"].amount < lines["cofins"].amount < lines["cofins"].base

    def test_note_without_iss_has_its_amount(self) -> None:
        lines = lines_of(example("minimal"))
        assert list(lines) == ["iss"]
        assert (lines["iss"].items, lines["iss"].amount) == (Decimal("150.00"), Decimal(0))
