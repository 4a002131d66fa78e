"""Limits and exceptions of the rules of CT-e, and mistakes that must not be reported twice."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.identity.access_key import InvalidAccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.keys import parse_key
from carimbo.fiscal.transport.making import judge_size
from unit.fiscal.documents.cte.bodies import (
    CARRIER_CNPJ,
    COLLECTION_ORDER,
    DEPOSIT,
    ISSUED_AT,
    OTHER_CARRIER,
    PREVIOUS,
    SHIPPER,
    cte_key,
    nfe_key,
)
from unit.fiscal.documents.cte.breaking import Breaking, emission, judge, new_warnings
from unit.fiscal.goods.support import LISBON
from unit.fiscal.rules.breaking import GONE

pytestmark = pytest.mark.usefixtures("cbs_of_2027")

IN_2027 = emission(issued_at=datetime.fromisoformat("2027-01-04T08:30:00-03:00"))
ABROAD = {
    "municipalityEndIbge": "9999999",
    "cfop": "7358",
    "recipient": {"name": "Importadora Lisboa", "address": LISBON},
    "icms": {"cst": "41"},
    "ibsCbs": {"taxClassCode": "410004"},
}
BRANCH = CARRIER_CNPJ[:8] + "000262"
PUBLIC_TAKER = {
    "governmentPurchase": {"entityType": "1", "rateReduction": 10, "operationType": "1"},
}
FREE_ZONE = {"ibsCbs": {"cbs": {"freeZone": {"rate": 0.9, "amount": 7.92}}}}
PAPER = {"type": "roadWaybill", "series": "1", "number": "5", "issueDate": "2026-11-20"}

ACCEPTED = {
    "clocks differ by five minutes": Breaking("", "", now=ISSUED_AT - timedelta(minutes=5)),
    "issued a week ago": Breaking("", "", now=ISSUED_AT + timedelta(hours=168)),
    "starts elsewhere": Breaking(
        "", "", body={"municipalityStartIbge": "4106902", "cfop": "6932", "icms": {"rate": 12}}
    ),
    "starts and ends elsewhere": Breaking(
        "",
        "",
        body={
            "municipalityStartIbge": "4106902",
            "municipalityEndIbge": "4113700",
            "cfop": "5932",
            "icms": {"rate": 12},
        },
    ),
    "ends abroad": Breaking("", "", body=ABROAD),
    "party abroad": Breaking("", "", body={"receiver": {"name": "Armazém Lisboa", "address": LISBON}}),
    "party exempt from registration": Breaking(
        "", "", body={"receiver": DEPOSIT | {"stateRegistration": "ISENTO"}}
    ),
    "exempt taker where there are some": Breaking(
        "",
        "",
        body={
            "taker": "recipient",
            "takerContribution": "exempt",
            "recipient.stateRegistration": "ISENTO",
        },
    ),
    "taker with another registration than the sender": Breaking(
        "",
        "",
        body={
            "taker": "other",
            "takerParty": SHIPPER | {"stateRegistration": "109334570110"},
            "takerContribution": "none",
            "cfop": "6357",
            "icms": {"cst": "40"},
        },
    ),
    "registration of SUFRAMA in Macapá": Breaking(
        "",
        "",
        "to Manaus",
        {
            "municipalityEndIbge": "1600303",
            "recipient.stateRegistration": GONE,
            "recipient.address.city": "Macapá",
            "recipient.address.state": "AP",
        },
    ),
    "NF-e of six months ago": Breaking(
        "", "", body={"documents.nfes[0].accessKey": nfe_key(1, month="2605")}
    ),
    "NF-e of a rural producer": Breaking(
        "", "", body={"documents.nfes": [{"accessKey": nfe_key(1, owner="00052998224725")}]}
    ),
    "receipt within the state": Breaking(
        "",
        "",
        body={
            "municipalityEndIbge": "3509502",
            "cfop": "5353",
            "documents": {"others": [{"type": "nfce", "number": "1"}]},
        },
    ),
    "earlier document of a branch of the taker": Breaking(
        "",
        "",
        "subcontracting",
        {
            "previousDocuments[0].issuer.taxId": BRANCH,
            "previousDocuments[0].accessKeys[0]": cte_key(880, BRANCH),
        },
    ),
    "one of several earlier carriers takes the service": Breaking(
        "",
        "",
        "subcontracting",
        {
            "previousDocuments[1]": {
                "issuer": {"taxId": DEPOSIT["taxId"], "name": "Outra"},
                "papers": [PAPER],
            }
        },
    ),
    "replaced two months ago": Breaking(
        "", "", "substitution", {"substitution.accessKey": cte_key(411, month="2609")}
    ),
    "complemented a year ago": Breaking(
        "", "", "complement", {"complementedAccessKeys": [cte_key(412, month="2511")], "ibsCbs": {}}
    ),
    "ICMS within a cent": Breaking("", "", body={"icms.amount": 120.01}),
    "withheld ICMS": Breaking(
        "", "", body={"icms": {"cst": "60", "rate": 12, "creditAmount": 24}, "cfop": "6360"}
    ),
    "net price": Breaking("", "", body={"netServiceAmount": 880}),
    "reduction of the class": Breaking("", "", body={"ibsCbs": {"taxClassCode": "200050"}}),
    "reduction for a public taker": Breaking("", "", body=PUBLIC_TAKER),
    "CBS of a free trade area": Breaking("", "", body=FREE_ZONE),
    "refunded tax": Breaking("", "", body={"ibsCbs": {"cbs": {"refund": {"amount": 1}}}}),
    "night delivery": Breaking(
        "", "", body={"delivery": {"timeMode": "between", "startTime": "22:00", "endTime": "06:00"}}
    ),
    "ICMS that is not of another state": Breaking("", "", body={"icms.otherState": False}),
    "rates of the replaced document": Breaking("", "", "substitution", under=IN_2027),
    "complement of a service between carriers": Breaking(
        "", "", "complement", {"serviceType": "subcontracting", "cfop": "6351"}
    ),
}

CONSEQUENCES: dict[str, tuple[dict[str, Any], str]] = {
    "place of loading": ({"municipalityStartIbge": GONE}, "municipalityStartIbge"),
    "tax id of the taker": ({"shipper.taxId": GONE}, "shipper.taxId"),
    "city of the recipient": (
        {"recipient.address.city": GONE, "recipient.address.state": GONE},
        "recipient.address.city",
    ),
    "quantities of the cargo": ({"cargo.quantities": []}, "cargo.quantities"),
    "class of another CST": ({"ibsCbs": {"cst": "200"}}, "ibsCbs.taxClassCode"),
    "two lists of documents": (
        {"documents.others": [{"type": "declaration"}]},
        "documents",
    ),
    "earlier carrier without documents": (
        {
            "serviceType": "subcontracting",
            "taker": "other",
            "takerParty": OTHER_CARRIER,
            "previousDocuments": [{"issuer": PREVIOUS[0]["issuer"]}],
        },
        "previousDocuments[0]",
    ),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_request_at_the_limit_is_accepted(case: str, signer: Signer) -> None:
    assert judge(ACCEPTED[case], signer).places == []
    assert new_warnings(ACCEPTED[case], signer) == []


@pytest.mark.parametrize("case", CONSEQUENCES)
def test_missing_value_breaks_no_rule_as_well(case: str, signer: Signer) -> None:
    changes, path = CONSEQUENCES[case]
    judged = judge(Breaking("", "", body=changes), signer)
    assert [problem.path for problem in judged.problems] == [path]
    assert not any(text.startswith(path.partition(".")[0]) for text in judged.warnings)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"shipper.stateRegistration": "115223386111", "cfop": "6102"}, {"419", "676"}),
        ({"cargo": GONE, "cfop": "5352", "receivableAmount": 2000}, {"458", "519", "531"}),
        ({"documents.nfes[0].accessKey": "1", "documents.nfes[1].accessKey": "2"}, {"843"}),
    ],
)
def test_all_mistakes_are_reported_at_once(
    changes: dict[str, Any], expected: set[str], signer: Signer
) -> None:
    places = judge(Breaking("", "", body=changes), signer).places
    assert {code for code, _ in places} == expected
    assert len(places) == len(changes)


class TestKeys:
    @pytest.mark.parametrize(
        ("key", "reason"),
        [
            ("123", "A chave de acesso tem 44 caracteres, e esta tem 3."),
            (nfe_key(1, model="65"), "A chave é de um documento de modelo 65, e aqui cabe o modelo 55."),
            (nfe_key(1, owner="11222333000180"), "O CNPJ ou CPF da chave é inválido."),
            (nfe_key(1, owner="00052998224724"), "O CNPJ ou CPF da chave é inválido."),
            (nfe_key(1, month="2612"), "O mês da chave ainda não chegou."),
            (nfe_key(1, emission_type="0"), "O tipo de emissão da chave não existe."),
        ],
    )
    def test_invalid_key_has_its_reason(self, key: str, reason: str) -> None:
        with pytest.raises(InvalidAccessKey) as raised:
            parse_key(key, "55", date(2026, 11, 30))
        assert str(raised.value) == reason

    @pytest.mark.parametrize("key", [nfe_key(1), nfe_key(1, owner="00052998224725")])
    def test_key_of_a_company_or_a_person_is_valid(self, key: str) -> None:
        assert parse_key(key, "55", date(2026, 11, 30)) == key

    def test_reason_of_an_invalid_key_is_in_the_message(self, signer: Signer) -> None:
        breaking = Breaking("", "", body={"documents.nfes[0].accessKey": nfe_key(1, model="65")})
        [problem] = judge(breaking, signer).problems
        assert problem.message == (
            "A chave da NF-e é inválida. A chave é de um documento de modelo 65, e aqui cabe o modelo 55."
        )


class TestARuleWithoutADay:
    @pytest.fixture(autouse=True)
    def calendar(self, tmp_path: Path) -> Iterator[None]:
        """A calendar in which the authorities refuse a CT-e without IBS and CBS."""
        head = ["# source: teste", "# date: 2026-12-01", "name,since,until,documents,about,source"]
        rows = [
            f"{entry.name},{_day_of(entry.name)},,{' '.join(entry.documents)},x,y"
            for entry in CALENDAR.values()
        ]
        (tmp_path / "calendar.csv").write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
        use_tables_of(tmp_path)
        yield
        use_tables_of(None)

    def test_missing_group_is_refused_from_its_day_on(self, signer: Signer) -> None:
        without = Breaking("", "", document={"taxes.ibs_cbs": None})
        assert judge(without, signer).places == [("310", "ibsCbs")]
        assert new_warnings(without, signer) == []

    def test_simples_needs_no_group(self, signer: Signer) -> None:
        assert judge(Breaking("", "", "subcontracting"), signer).places == []


def _day_of(name: str) -> str:
    since = CALENDAR[name].since
    return "2026-11-01" if name == DatedRule.CTE_GROUP_REQUIRED else str(since or "")


class TestTheLayout:
    @pytest.mark.parametrize(
        ("code", "path", "changes"),
        [
            ("215", "nature", {"nature": "Ω"}),
            (
                "580",
                "modal.collectionOrders[0].series",
                {"modal": {"collectionOrders": [COLLECTION_ORDER | {"series": "Ω"}]}},
            ),
        ],
    )
    def test_value_that_the_xsd_refuses_has_the_code_of_its_part(
        self, code: str, path: str, changes: dict[str, Any], signer: Signer
    ) -> None:
        assert judge(Breaking("", "", body=changes), signer).places == [(code, path)]


class TestTheSize:
    def test_document_of_512_kb_is_accepted(self) -> None:
        assert judge_size("documents", hint_of, b"x" * 512 * 1024).problems == ()

    def test_longer_document_is_refused(self, signer: Signer) -> None:
        seals = [f"LACRE DE NUMERO {number:04d}" for number in range(100)]
        unit = {"type": "container", "id": "ABCD", "seals": seals}
        nfes = [{"accessKey": nfe_key(number), "cargoUnits": [unit]} for number in range(1, 120)]
        judged = judge(Breaking("", "", body={"documents.nfes": nfes}), signer)
        assert judged.places == [("214", "documents")]
        assert judged.problems[0].message.endswith("e a SEFAZ recebe até 512 KB.")
