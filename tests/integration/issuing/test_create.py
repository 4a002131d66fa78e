"""POST of a document: the immediate answer and the outcome."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.simulator.program.run import Simulator
from integration.issuing.shop import (
    GOODS,
    KINDS,
    MUG,
    RECIPIENT,
    Shop,
    accepted,
    body_of,
    error_of,
    ready_shop,
)
from integration.issuing.system import System
from support import OTHER_CNPJ, fields_of

RECORD = {
    "id", "saleId", "status", "type", "externalId", "amount", "totalDue", "number", "series", "dps",
    "deliveredAt", "closedAt", "accessKey", "protocol", "environment", "version", "issuedAt", "authorizedAt",
    "cancelableUntil", "contingency", "progress", "rejection", "warnings", "replacedById", "createdAt",
    "createdBy", "recipient",
}  # fmt: skip
KNOWN_LATER = (
    "externalId", "totalDue", "number", "series", "dps", "deliveredAt", "closedAt", "accessKey", "protocol",
    "issuedAt",    "authorizedAt", "cancelableUntil", "contingency", "rejection", "replacedById",
)  # fmt: skip
OWNER_IN_KEY = {"nfe": slice(6, 20), "nfce": slice(6, 20), "nfse": slice(9, 23), "cte": slice(6, 20)}
"""The position of the issuer's CNPJ in the key."""
of_every_type = pytest.mark.parametrize("document_type", KINDS)
of_goods = pytest.mark.parametrize("document_type", GOODS)


@of_every_type
class TestCreate:
    async def test_new_record_has_every_field_and_null_where_the_value_is_unknown(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        async with system.worker_stopped():
            record = await shop.create(document_type)
            assert await shop.read(record) == record
        assert set(record) == RECORD
        assert {name: record[name] for name in KNOWN_LATER} == dict.fromkeys(KNOWN_LATER)
        assert (record["environment"], record["version"], record["warnings"]) == ("production", 1, [])
        # An NFS-e that is created directly makes a sale.
        assert (record["saleId"] is None) == (document_type != "nfse")

    async def test_document_is_authorized_with_the_data_of_the_authority(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type)
        (sent,) = await system.journal(record["accessKey"])
        assert (record["status"], record["number"]) == ("authorized", 1)
        assert record["protocol"]
        assert (sent["environment"], sent["code"]) == ("production", "100")
        assert (record["rejection"], record["contingency"], record["version"]) == (None, None, 1)
        issued, authorized = (datetime.fromisoformat(record[name]) for name in ("issuedAt", "authorizedAt"))
        assert issued <= authorized
        assert {issued.tzinfo is None, authorized.tzinfo is None} == {False}

    async def test_document_of_a_company_whose_cnpj_has_letters_is_authorized(
        self, system: System, simulator: Simulator, document_type: str
    ) -> None:
        issued = simulator.certificates.issue(OTHER_CNPJ, "LOJA DE LETRAS LTDA", datetime.now(UTC))
        certificate = A1Certificate.from_bundle(issued.to_pem())
        shop = await ready_shop(system, await system.new_caller(), certificate, OTHER_CNPJ)
        record = await shop.issue(document_type)
        assert record["status"] == "authorized"
        assert record["accessKey"][OWNER_IN_KEY[document_type]] == OTHER_CNPJ


@of_goods
class TestCreateGoods:
    async def test_key_contains_model_series_and_number(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type)
        key = AccessKey.parse(record["accessKey"])
        assert (key.model, key.number, key.series) == ({"nfe": "55", "nfce": "65"}[document_type], 1, 1)
        assert (record["number"], record["series"], record["dps"]) == (1, 1, None)
        assert len(record["protocol"]) == 15

    async def test_null_cfop_is_the_same_as_no_cfop(self, shop: Shop, document_type: str) -> None:
        record = accepted(await shop.post(f"/{document_type}", {**body_of(document_type), "cfop": None}))
        assert (await shop.settled(record))["status"] == "authorized"

    async def test_amount_is_rounded_to_the_cent(self, shop: Shop, document_type: str) -> None:
        item = MUG | {"quantity": 3, "unitValue": 33.3333333333}
        body = body_of(document_type, items=[item], payments=None)
        answer = await shop.post(f"/{document_type}", body)
        assert accepted(answer)["amount"] == 100

    async def test_missing_and_unknown_fields_are_reported_at_once(
        self, idle_shop: Shop, document_type: str
    ) -> None:
        item = {"description": "Caneca", "quantity": "2", "cor": "azul"}
        answer = await idle_shop.post(f"/{document_type}", body_of(document_type, items=[item], frete=10))
        assert fields_of(answer) == {
            "items[0].unitValue": "Campo obrigatório.",
            "items[0].quantity": "Deve ser um número.",
            "items[0].cor": "Campo desconhecido.",
            "frete": "Campo desconhecido.",
        }
        assert await idle_shop.count() == 0

    async def test_missing_required_field_is_reported_by_its_path(
        self, idle_shop: Shop, document_type: str
    ) -> None:
        reported = {}
        for field in ("items", "items[0].description", "items[0].quantity"):
            item = {key: value for key, value in MUG.items() if key != field.rpartition(".")[2]}
            body = body_of(document_type, items=None if field == "items" else [item])
            reported[field] = fields_of(await idle_shop.post(f"/{document_type}", body))
        assert reported == {field: {field: "Campo obrigatório."} for field in reported}

    async def test_value_with_more_decimals_than_the_layout_has_is_invalid(
        self, idle_shop: Shop, document_type: str
    ) -> None:
        wrong = {}
        for field, value in {"quantity": 1.00001, "unitValue": 1.00000000001, "discount": 1.001}.items():
            answer = await idle_shop.post(
                f"/{document_type}", body_of(document_type, items=[MUG | {field: value}])
            )
            wrong[f"items[0].{field}"] = set(fields_of(answer))
        assert wrong == {field: {field} for field in wrong}

    async def test_value_with_as_many_decimals_as_the_layout_has_is_accepted(
        self, shop: Shop, document_type: str
    ) -> None:
        item = MUG | {"quantity": 1.2345, "unitValue": 81.0044552449}
        record = await shop.issue(document_type, items=[item], payments=None)
        assert (record["status"], record["amount"]) == ("authorized", 100.0)

    async def test_document_without_items_is_invalid(self, idle_shop: Shop, document_type: str) -> None:
        nothing: list[Any] = [[], None, {}, "x"]
        answers = [
            await idle_shop.post(f"/{document_type}", {**body_of(document_type), "items": items})
            for items in nothing
        ]
        assert [set(fields_of(answer)) for answer in answers] == [{"items"}] * len(nothing)


class TestCreateNfe:
    async def test_nfe_without_a_recipient_is_invalid(self, idle_shop: Shop) -> None:
        assert set(fields_of(await idle_shop.post("/nfe", body_of("nfe", recipient=None)))) == {"recipient"}

    @pytest.mark.parametrize("field", ["taxId", "name"])
    async def test_nfe_whose_recipient_lacks_tax_id_or_name_is_invalid(
        self, idle_shop: Shop, field: str
    ) -> None:
        recipient = {name: value for name, value in RECIPIENT.items() if name != field}
        answer = await idle_shop.post("/nfe", body_of("nfe", recipient=recipient))
        assert fields_of(answer) == {f"recipient.{field}": "Campo obrigatório."}
        assert await idle_shop.count() == 0

    async def test_missing_fields_of_the_recipients_address_are_all_reported(self, idle_shop: Shop) -> None:
        recipient = RECIPIENT | {"address": {"state": "SP"}}
        answer = await idle_shop.post("/nfe", body_of("nfe", recipient=recipient))
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        missing = [f"recipient.address.{name}" for name in ("street", "number", "district", "city")]
        assert [rule["field"] for rule in rules] == missing

    async def test_recipient_with_letters_in_the_cnpj_is_accepted(self, shop: Shop) -> None:
        recipient = RECIPIENT | {"taxId": "12.ABC.345/01DE-35", "email": "compras@example.com"}
        assert (await shop.issue(recipient=recipient))["status"] == "authorized"

    async def test_nfe_is_issued_at_the_requested_moment(self, shop: Shop) -> None:
        moment = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)
        record = await shop.issue(issueDate=moment.isoformat())
        assert datetime.fromisoformat(record["issuedAt"]) == moment

    async def test_assumed_taxes_are_reported_as_warnings(self, shop: Shop) -> None:
        answer = await shop.caller.http.put(
            shop.path(), json={"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        )
        assert answer.status_code == 200, answer.text
        record = await shop.issue(items=[MUG])
        assert record["status"] == "authorized"
        assert any("ICMS" in warning for warning in record["warnings"])


class TestCreateNfce:
    async def test_nfce_without_a_payment_method_is_invalid(self, idle_shop: Shop) -> None:
        answer = await idle_shop.post("/nfce", body_of("nfce", paymentMethod=None, cor="azul", payments=[]))
        assert fields_of(answer) == {
            "paymentMethod": "Campo obrigatório: informe paymentMethod ou payments.",
            "cor": "Campo desconhecido.",
        }

    async def test_nfce_with_payments_needs_no_payment_method(self, shop: Shop) -> None:
        record = await shop.issue("nfce", paymentMethod=None, payments=[{"method": "pix", "amount": 59.8}])
        assert record["status"] == "authorized"

    async def test_nfce_with_an_unknown_payment_method_is_invalid(self, idle_shop: Shop) -> None:
        answer = await idle_shop.post("/nfce", body_of("nfce", paymentMethod="conchas"))
        assert set(fields_of(answer)) == {"paymentMethod"}

    @pytest.mark.parametrize("named", [{}, {"name": "Maria da Silva"}], ids=["by-cpf", "by-name-too"])
    async def test_nfce_may_name_the_consumer(self, shop: Shop, named: dict[str, str]) -> None:
        recipient = {"taxId": "52998224725", **named}
        assert (await shop.issue("nfce", recipient=recipient))["status"] == "authorized"
