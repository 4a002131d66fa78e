"""Events that add drivers, documents and payments to an MDF-e, and their rules one by one."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.body.messages import json_path, without_short_lists
from carimbo.fiscal.documents.mdfe.additions import DOCUMENT_INCLUSION, DRIVER_INCLUSION
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.payment_events import PAYMENT, PAYMENT_CHANGE
from carimbo.fiscal.filing import EventKind, EventSubject, FilingResult
from carimbo.fiscal.identity.signature import Signer
from unit.fiscal.documents.cte.bodies import cte_key
from unit.fiscal.documents.mdfe.bodies import (
    CAMPINAS,
    CASH,
    DRIVER,
    INSURER_CNPJ,
    OTHER_DRIVER,
    SALVADOR,
    SAO_PAULO,
    UNKNOWN_CITY,
    own_nfe_key,
)
from unit.fiscal.documents.mdfe.bodies import (
    PAYMENT as FREIGHT_PAYMENT,
)
from unit.fiscal.documents.mdfe.filed_events import PROTOCOL, detail_of, filed, places, subject
from unit.fiscal.goods.support import misformed
from unit.fiscal.rules.breaking import GONE, changed

LATER = "later loading"
INCLUSION: dict[str, Any] = {
    "loadingCityCode": SAO_PAULO,
    "documents": [
        {"cityCode": SAO_PAULO, "nfeAccessKeys": [own_nfe_key(1), own_nfe_key(2)]},
        {"cityCode": CAMPINAS, "nfeAccessKeys": [own_nfe_key(3)]},
    ],
}
REGISTRATION: dict[str, Any] = {"trips": {"total": 12, "current": 1}, "payments": [FREIGHT_PAYMENT]}
CHANGE: dict[str, Any] = {"payments": [FREIGHT_PAYMENT]}
AGGREGATED = {"modal.vehicle.owner.type": "aggregatedTac"}
# An event has no mark of high performance.
CASH_OF_EVENTS = {name: value for name, value in CASH.items() if name != "highPerformance"}


def of(event: EventKind, *bodies: dict[str, Any]) -> dict[str, Any]:
    """Returns the earlier events of a kind, as a part of the subject of the next one."""
    return {"read_earlier": lambda: [event.request.model_validate(body) for body in bodies]}


def hinted_places(result: FilingResult) -> list[tuple[str, str]]:
    """Returns code and path of all problems, which must have hints."""
    assert isinstance(result, tuple)
    assert [problem.code for problem in result if not problem.hint] == []
    return places(result)


class TestDrivers:
    def include(self, body: dict[str, Any], about: EventSubject, signer: Signer) -> FilingResult:
        return filed(DRIVER_INCLUSION, body, about, signer)

    def test_inclusion_has_the_driver_and_no_protocol(self, signer: Signer) -> None:
        body = {"name": "Carlos Alberto Souza", "taxId": "111.444.777-35"}
        assert detail_of(self.include(body, subject("own cargo"), signer)) == [
            ("descEvento", "Inclusao Condutor"),
            ("xNome", "Carlos Alberto Souza"),
            ("CPF", "11144477735"),
        ]

    @pytest.mark.parametrize("good", ["by air", "by water", "by rail"])
    def test_other_modes_have_no_drivers(self, good: str, signer: Signer) -> None:
        assert hinted_places(self.include(DRIVER, subject(good), signer)) == [("644", "taxId")]

    @pytest.mark.parametrize(
        "about",
        [
            subject("own cargo"),
            subject("own cargo", {"drivers": GONE, "modal.drivers": [DRIVER]}),
            subject("own cargo", {"drivers": [OTHER_DRIVER]}, **of(DRIVER_INCLUSION, DRIVER)),
        ],
        ids=["in the manifest", "in its mode", "in an earlier event"],
    )
    def test_driver_that_the_manifest_has_is_refused(self, about: EventSubject, signer: Signer) -> None:
        assert hinted_places(self.include(DRIVER, about, signer)) == [("577", "taxId")]

    def test_further_drivers_are_accepted(self, signer: Signer) -> None:
        third = {"name": "Ana", "taxId": "39053344705"}
        about = subject("own cargo", **of(DRIVER_INCLUSION, OTHER_DRIVER), sequence=2)
        assert ("CPF", "39053344705") in detail_of(self.include(third, about, signer))

    def test_wrong_cpf_is_refused_with_the_body(self) -> None:
        with pytest.raises(ValidationError) as refused:
            DRIVER_INCLUSION.request.model_validate(DRIVER | {"taxId": "52998224726"})
        assert set(misformed(refused.value)) == {"taxId"}


class TestDocuments:
    def include(self, changes: dict[str, Any], about: EventSubject, signer: Signer) -> FilingResult:
        return filed(DOCUMENT_INCLUSION, changed(INCLUSION, changes), about, signer)

    def test_every_invoice_has_its_own_group(self, signer: Signer) -> None:
        assert detail_of(self.include({}, subject(LATER), signer)) == [
            ("descEvento", "Inclusao DF-e"),
            ("nProt", PROTOCOL),
            ("cMunCarrega", SAO_PAULO),
            ("xMunCarrega", "SAO PAULO"),
            ("cMunDescarga", SAO_PAULO),
            ("xMunDescarga", "SAO PAULO"),
            ("chNFe", own_nfe_key(1)),
            ("cMunDescarga", SAO_PAULO),
            ("xMunDescarga", "SAO PAULO"),
            ("chNFe", own_nfe_key(2)),
            ("cMunDescarga", CAMPINAS),
            ("xMunDescarga", "CAMPINAS"),
            ("chNFe", own_nfe_key(3)),
        ]

    def test_only_later_loading_takes_documents(self, signer: Signer) -> None:
        assert hinted_places(self.include({}, subject("own cargo"), signer)) == [("708", "documents")]

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"loadingCityCode": UNKNOWN_CITY}, ("405", "loadingCityCode")),
            ({"loadingCityCode": SALVADOR}, ("456", "loadingCityCode")),
            ({"documents[1].cityCode": UNKNOWN_CITY}, ("406", "documents[1].cityCode")),
            ({"documents[1].cityCode": SALVADOR}, ("612", "documents[1].cityCode")),
            ({"documents[1].cityCode": "9999999"}, ("612", "documents[1].cityCode")),
            ({"documents[0].nfeAccessKeys[1]": "123"}, ("709", "documents[0].nfeAccessKeys[1]")),
            ({"documents[0].nfeAccessKeys[1]": cte_key(1)}, ("709", "documents[0].nfeAccessKeys[1]")),
            (
                {"documents[1].nfeAccessKeys[0]": own_nfe_key(3, month="2612")},
                ("709", "documents[1].nfeAccessKeys[0]"),
            ),
            ({"documents[1].nfeAccessKeys[0]": own_nfe_key(1)}, ("711", "documents[1].nfeAccessKeys[0]")),
        ],
    )
    def test_inclusion_that_breaks_a_rule_is_refused(
        self, changes: dict[str, Any], problem: tuple[str, str], signer: Signer
    ) -> None:
        assert hinted_places(self.include(changes, subject(LATER), signer)) == [problem]

    def test_reason_of_an_invalid_key_is_named(self, signer: Signer) -> None:
        result = self.include({"documents[1].nfeAccessKeys[0]": cte_key(1)}, subject(LATER), signer)
        assert isinstance(result, tuple)
        assert result[0].message == (
            "A chave da NF-e é inválida. A chave é de um documento de modelo 57, e aqui cabe o modelo 55."
        )

    def test_invoice_of_an_earlier_event_is_refused(self, signer: Signer) -> None:
        earlier = {"loadingCityCode": SAO_PAULO, "documents": [INCLUSION["documents"][1]]}
        about = subject(LATER, **of(DOCUMENT_INCLUSION, earlier), sequence=2)
        assert hinted_places(self.include({}, about, signer)) == [("711", "documents[1].nfeAccessKeys[0]")]

    def test_all_mistakes_are_reported_at_once(self, signer: Signer) -> None:
        changes = {
            "loadingCityCode": UNKNOWN_CITY,
            "documents[0].cityCode": SALVADOR,
            "documents[0].nfeAccessKeys": ["1", own_nfe_key(3)],
        }
        assert hinted_places(self.include(changes, subject(LATER), signer)) == [
            ("405", "loadingCityCode"),
            ("612", "documents[0].cityCode"),
            ("709", "documents[0].nfeAccessKeys[0]"),
            ("711", "documents[1].nfeAccessKeys[0]"),
        ]

    @pytest.mark.parametrize(
        ("changes", "path"),
        [
            ({"documents": []}, "documents"),
            ({"documents[0].nfeAccessKeys": []}, "documents[0].nfeAccessKeys"),
            ({"documents[0].cteAccessKeys": [cte_key(1)]}, "documents[0].cteAccessKeys"),
            ({"loadingCityCode": GONE}, "loadingCityCode"),
        ],
    )
    def test_misformed_body_is_refused_at_its_field(self, changes: dict[str, Any], path: str) -> None:
        with pytest.raises(ValidationError) as refused:
            DOCUMENT_INCLUSION.request.model_validate(changed(INCLUSION, changes))
        assert set(misformed(refused.value)) == {path}


PAYMENT_FIELDS = [
    ("xNome", "Transportadora Alvorada Ltda"),
    ("CNPJ", "11222333000181"),
    ("tpComp", "04"),
    ("vComp", "3000.00"),
    ("tpComp", "01"),
    ("vComp", "250.00"),
    ("vContrato", "3250.00"),
    ("indPag", "1"),
    ("vAdiant", "1250.00"),
    ("nParcela", "001"),
    ("dVenc", "2026-12-05"),
    ("vParcela", "1000.00"),
    ("nParcela", "002"),
    ("dVenc", "2026-12-20"),
    ("vParcela", "1000.00"),
    ("tpAntecip", "0"),
    ("PIX", "marcos.lima@example.com"),
]


class TestPayments:
    def pay(self, changes: dict[str, Any], signer: Signer, about: EventSubject | None = None) -> FilingResult:
        return filed(
            PAYMENT, changed(REGISTRATION, changes), about or subject("full load", AGGREGATED), signer
        )

    def test_registration_has_trips_and_payments(self, signer: Signer) -> None:
        assert detail_of(self.pay({}, signer)) == [
            ("descEvento", "Pagamento Operacao MDF-e"),
            ("nProt", PROTOCOL),
            ("qtdViagens", "00012"),
            ("nroViagem", "00001"),
            *PAYMENT_FIELDS,
        ]

    @pytest.mark.parametrize(
        ("about", "problem"),
        [
            (subject("by rail"), ("722", "payments")),
            (subject("carrier"), ("723", "payments")),
            (subject("full load"), ("723", "payments")),
            (subject("vehicle of a cooperative"), ("723", "payments")),
        ],
        ids=["other mode", "own vehicle", "independent carrier", "cooperative"],
    )
    def test_only_an_aggregated_carrier_is_paid_by_the_event(
        self, about: EventSubject, problem: tuple[str, str], signer: Signer
    ) -> None:
        assert hinted_places(self.pay({}, signer, about)) == [problem]

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"payerTaxId": GONE}, ("630", "payerTaxId")),
            ({"components[1].amount": 250.02}, ("746", "components")),
            ({"installments": []}, ("724", "installments")),
            ({"installments[1].number": 3}, ("735", "installments[1].number")),
            ({"installments[0].dueDate": "2026-11-23"}, ("736", "installments[0].dueDate")),
            ({"installments[1].dueDate": "2026-12-05"}, ("737", "installments[1].dueDate")),
            ({"installments[1].amount": 1000.02}, ("738", "installments")),
            ({"pixKey": GONE}, ("630", "bank")),
            ({"ipefTaxId": INSURER_CNPJ}, ("630", "pixKey")),
        ],
    )
    def test_payment_that_breaks_a_rule_is_refused(
        self, changes: dict[str, Any], problem: tuple[str, str], signer: Signer
    ) -> None:
        code, path = problem
        body = {f"payments[0].{name}": value for name, value in changes.items()}
        expected = [(code, f"payments[0].{path}")]
        assert hinted_places(self.pay(body, signer)) == expected
        change = filed(PAYMENT_CHANGE, changed(CHANGE, body), subject("carrier"), signer)
        assert hinted_places(change) == expected

    def test_due_days_are_compared_with_the_issue_of_the_manifest(self, signer: Signer) -> None:
        on_that_day = {"payments[0].installments[0].dueDate": "2026-11-24"}
        assert ("dVenc", "2026-11-24") in detail_of(self.pay(on_that_day, signer))
        unknown = subject("full load", AGGREGATED, issued_at=None)
        late = [("736", "payments[0].installments[0].dueDate")]
        assert hinted_places(self.pay(on_that_day, signer, unknown)) == late

    def test_text_that_cannot_be_written_is_named_by_its_path(self, signer: Signer) -> None:
        written = {"payments[0].components[0].description": "Ωμ"}
        assert hinted_places(self.pay(written, signer)) == [("630", "payments[0].components[0].description")]

    @pytest.mark.parametrize(
        ("event", "body", "path"),
        [
            (PAYMENT, {"trips.total": 0}, "trips.total"),
            (PAYMENT, {"trips.current": 100_000}, "trips.current"),
            (PAYMENT, {"payments": []}, "payments"),
            (PAYMENT, {"payments[0].highPerformance": True}, "payments[0].highPerformance"),
            (PAYMENT_CHANGE, {"trips": {"total": 1, "current": 1}}, "trips"),
            (PAYMENT_CHANGE, {"payments[0].highPerformance": True}, "payments[0].highPerformance"),
        ],
    )
    def test_misformed_body_is_refused_at_its_field(
        self, event: EventKind, body: dict[str, Any], path: str
    ) -> None:
        with pytest.raises(ValidationError) as refused:
            event.request.model_validate(changed(REGISTRATION if event is PAYMENT else CHANGE, body))
        errors = without_short_lists(refused.value.errors())
        assert [json_path(error["loc"]) for error in errors] == [path]


class TestPaymentChanges:
    def test_change_may_have_several_payments(self, signer: Signer) -> None:
        body = {"payments": [FREIGHT_PAYMENT, CASH_OF_EVENTS]}
        assert detail_of(filed(PAYMENT_CHANGE, body, subject("carrier"), signer)) == [
            ("descEvento", "Alteracao Pagamento Servico MDFe"),
            ("nProt", PROTOCOL),
            *PAYMENT_FIELDS,
            ("idEstrangeiro", "AB12345"),
            ("tpComp", "99"),
            ("vComp", "10.00"),
            ("xComp", "Extra"),
            ("vContrato", "10.00"),
            ("indPag", "0"),
            ("codBanco", "001"),
            ("codAgencia", "1234"),
        ]

    def test_other_modes_have_no_payment(self, signer: Signer) -> None:
        assert hinted_places(filed(PAYMENT_CHANGE, CHANGE, subject("by air"), signer)) == [
            ("749", "payments")
        ]

    def test_mistakes_of_all_payments_are_reported(self, signer: Signer) -> None:
        wrong = CASH_OF_EVENTS | {"bank": None}
        result = filed(PAYMENT_CHANGE, {"payments": [wrong, wrong]}, subject("carrier"), signer)
        assert hinted_places(result) == [("630", "payments[0].bank"), ("630", "payments[1].bank")]


def test_hint_of_an_event_is_that_of_its_code(signer: Signer) -> None:
    result = filed(PAYMENT_CHANGE, CHANGE, subject("by air"), signer)
    assert isinstance(result, tuple)
    assert result[0].hint == hint_of("749")
    assert result[0].source == "MOC MDF-e 3.00, Anexo I, eventos"
