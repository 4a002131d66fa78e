"""The whole DPS: the defaults for a short body, and the signed XML."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.xml import identity_of_declaration, issue
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.documents.nfse_support import (
    CPF,
    EVENING_IN_ACRE,
    FIRM,
    FOREIGNER,
    IN_ACRE,
    ISSUED_AT,
    KEY,
    NBS,
    NORMAL,
    REPLACED,
    SHORTCUT,
    TRADE,
    body,
    codes_of,
    composed,
    declared,
    has,
    issuance,
    provider,
    reviewed,
    text_at,
)
from xmlsec1 import xmlsec1_accepts

DPS_ID = "DPS355030821122233300018100001000000000000007"


def issued(signer: Signer, **changes: Any) -> SignedDocument | tuple[Problem, ...]:
    return issue(NfseRequest.model_validate(body(**changes)), issuance(signer=signer))


@pytest.fixture(scope="module")
def document(signer: Signer) -> SignedDocument:
    document = issued(signer)
    assert isinstance(document, SignedDocument), document
    return document


class TestSignedDeclaration:
    def test_signed_declaration_is_valid_by_the_official_schema(
        self, document: SignedDocument, schemas: Schemas
    ) -> None:
        root = etree.fromstring(document.xml)
        assert schemas.problems(Schema.NFSE_DPS, root, ServiceNote) == ()

    def test_signed_declaration_is_in_canonical_form(self, document: SignedDocument) -> None:
        assert etree.tostring(etree.fromstring(document.xml), method="c14n") == document.xml

    def test_signature_is_accepted_by_us_and_by_another_implementation(
        self, document: SignedDocument
    ) -> None:
        verified = verify(etree.fromstring(document.xml))
        assert (verified.reference_id, verified.digest_value) == (DPS_ID, document.digest_value)
        assert xmlsec1_accepts(document.xml, "infDPS")

    def test_declaration_is_identified_by_its_id_until_it_has_a_key(self, document: SignedDocument) -> None:
        assert document.access_key == DPS_ID
        assert identity_of_declaration(document.xml).access_key == DPS_ID
        assert identity_of_declaration(document.xml).issued_at == ISSUED_AT

    def test_same_arguments_give_the_same_signed_text(self, document: SignedDocument, signer: Signer) -> None:
        assert issued(signer) == document

    def test_declaration_id_may_contain_letters(self) -> None:
        note = declared(body(), by=provider(taxId=OTHER_CNPJ))
        assert note.get("Id") == f"DPS35503082{OTHER_CNPJ}00001000000000000007"

    def test_signed_declaration_has_the_warnings_about_assumptions(self, signer: Signer) -> None:
        document = issued(signer, borrower={"name": "Consumidor"}, iss={"rate": 0})
        assert isinstance(document, SignedDocument)
        assert document.warnings == (
            "O tomador não tem CPF, CNPJ nem NIF: a nota sai sem tomador identificado.",
        )


class TestDefaults:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("tpAmb", "2"),
            ("dhEmi", "2026-11-14T10:00:00-03:00"),
            ("verAplic", "carimbo"),
            ("serie", "1"),
            ("nDPS", "7"),
            ("dCompet", "2026-11-14"),
            ("tpEmit", "1"),
            ("cLocEmi", "3550308"),
            ("subst/chSubstda", None),
            ("prest/CNPJ", CNPJ),
            ("prest/IM", None),
            ("prest/xNome", None),
            ("prest/end/xLgr", None),
            ("prest/regTrib/opSimpNac", "3"),
            ("prest/regTrib/regApTribSN", "1"),
            ("prest/regTrib/regEspTrib", "0"),
            ("toma/CPF", CPF),
            ("toma/xNome", "Maria da Silva"),
            ("serv/locPrest/cLocPrestacao", "3550308"),
            ("serv/cServ/cTribNac", "010501"),
            ("serv/cServ/cTribMun", None),
            ("serv/cServ/xDescServ", "Assinatura mensal"),
            ("serv/cServ/cNBS", None),
            ("valores/vServPrest/vServ", "150.00"),
            ("valores/trib/tribMun/tribISSQN", "1"),
            ("valores/trib/tribMun/tpRetISSQN", "1"),
            ("valores/trib/tribMun/pAliq", None),
            ("valores/trib/totTrib/pTotTribSN", "8.25"),
        ],
    )
    def test_defaults_are_those_of_an_ordinary_service(self, path: str, value: str | None) -> None:
        assert text_at(declared(body()), path) == value


class TestProvider:
    registered = {"municipalRegistration": "1234567", "phone": "(11) 3333-4444"}  # noqa: RUF012 - nobody changes it

    @pytest.mark.parametrize(
        ("regime", "code"), [("normal", "1"), ("mei", "2"), ("simples", "3"), ("simplesExcess", "3")]
    )
    def test_provider_regime_is_written(self, regime: str, code: str) -> None:
        assert text_at(declared(body(), by=provider(regime)), "prest/regTrib/opSimpNac") == code

    def test_provider_registration_and_phone_are_written(self) -> None:
        note = declared(body(), by=provider(**self.registered))
        assert (text_at(note, "prest/IM"), text_at(note, "prest/fone")) == ("1234567", "1133334444")

    def test_registration_unknown_to_the_municipality_is_not_written(self) -> None:
        settings = {"sendMunicipalRegistration": False}
        assert (
            text_at(declared(body(), by=provider(**self.registered), settings=settings), "prest/IM") is None
        )

    def test_registration_of_a_mei_is_not_written(self) -> None:
        assert text_at(declared(body(), by=provider("mei", **self.registered)), "prest/IM") is None

    def test_special_regime_is_written(self) -> None:
        note = declared(body(), by=NORMAL, settings={"specialRegime": "6"})
        assert text_at(note, "prest/regTrib/regEspTrib") == "6"


class TestParties:
    def test_taker_is_left_out_when_not_identified(self) -> None:
        assert not has(declared(body(borrower={"name": "Consumidor"})), "toma")

    def test_address_in_brazil_is_written(self) -> None:
        note = declared(
            body(
                borrower=FIRM
                | {"municipalRegistration": "42", "email": "a@example.com", "phone": "1133334444"}
            )
        )
        tags = (
            "CNPJ",
            "IM",
            "xNome",
            "end/endNac/cMun",
            "end/endNac/CEP",
            "end/xLgr",
            "end/nro",
            "fone",
            "email",
        )
        assert [text_at(note, f"toma/{tag}") for tag in tags] == [
            FIRM["taxId"], "42", FIRM["name"], "3550308", "01001000", "Praça da Sé", "100", "1133334444",
            "a@example.com",
        ]  # fmt: skip

    def test_address_abroad_is_written(self) -> None:
        note = declared(body(borrower=FOREIGNER, nbs=NBS, foreignTrade=TRADE))
        tags = (
            "NIF",
            "end/endExt/cPais",
            "end/endExt/cEndPost",
            "end/endExt/xCidade",
            "end/endExt/xEstProvReg",
        )
        assert [text_at(note, f"toma/{tag}") for tag in tags] == [
            "EIN 12-3456789", "US", "10118", "New York", "NY",
        ]  # fmt: skip

    def test_reason_for_a_missing_foreign_id_is_written(self) -> None:
        nobody = {"noForeignIdReason": "2", "name": "Model Inc.", "address": FOREIGNER["address"]}
        assert text_at(declared(body(borrower=nobody, nbs=NBS, foreignTrade=TRADE)), "toma/cNaoNIF") == "2"

    def test_intermediary_is_written(self) -> None:
        between = {"taxId": OTHER_CNPJ, "name": "Plataforma Ltda", "address": FIRM["address"]}
        note = declared(body(intermediary=between))
        texts = [text_at(note, f"interm/{tag}") for tag in ("CNPJ", "xNome", "end/endNac/cMun")]
        assert texts == [OTHER_CNPJ, "Plataforma Ltda", "3550308"]


class TestOptionalParts:
    def test_discounts_deductions_and_notes_are_written(self) -> None:
        note = declared(
            body(
                discounts={"unconditional": 5, "conditional": 3}, deductions={"rate": 10}, notes="Contrato 7"
            ),
            by=NORMAL,
        )
        assert text_at(note, "valores/vDescCondIncond/vDescIncond") == "5.00"
        assert text_at(note, "valores/vDescCondIncond/vDescCond") == "3.00"
        assert text_at(note, "valores/vDedRed/pDR") == "10.00"
        assert text_at(note, "serv/infoCompl/xInfComp") == "Contrato 7"

    def test_key_of_the_replaced_note_is_written(self) -> None:
        replaces = {"documentId": "0b7c3f3e-9d2a-4f0e-8a51-2f6f3f9f1c11", "reasonCode": "02"}
        note = declared(body(replaces=replaces), replaced=REPLACED)
        assert (text_at(note, "subst/chSubstda"), text_at(note, "subst/cMotivo")) == (KEY, "02")

    def test_foreign_trade_is_written(self) -> None:
        note = declared(body(borrower=FOREIGNER, nbs=NBS, foreignTrade=TRADE))
        assert (text_at(note, "serv/comExt/tpMoeda"), text_at(note, "serv/comExt/vServMoeda")) == (
            "220",
            "30.00",
        )


class TestCompetence:
    def test_competence_is_the_day_of_the_request_however_long_it_waited(self) -> None:
        evening = ISSUED_AT - timedelta(days=16)
        assert text_at(declared(body(), asked_at=evening), "dCompet") == f"{evening:%Y-%m-%d}"
        assert text_at(declared(body()), "dCompet") == f"{ISSUED_AT:%Y-%m-%d}"

    def test_competence_is_the_day_by_the_clock_of_the_company(self) -> None:
        midnight = datetime(2026, 11, 1, 1, 30, tzinfo=UTC)
        assert text_at(declared(body(), asked_at=midnight), "dCompet") == "2026-10-31"
        payload = body(issueDate=EVENING_IN_ACRE)
        assert text_at(declared(payload), "dCompet") == "2026-11-14"
        assert text_at(declared(payload, by=IN_ACRE), "dCompet") == "2026-11-13"


class TestReview:
    def test_review_of_a_shortcut_without_settings_lists_all_that_is_missing(self) -> None:
        review = reviewed(SHORTCUT)
        assert review.preview is None
        assert codes_of(review.problems) == {("MISSING", "federalServiceCode"), ("MISSING", "iss.rate")}

    def test_review_shows_the_preview_of_a_refused_body(self) -> None:
        review = reviewed(body(issueDate="2026-11-15"))
        assert codes_of(review.problems) == {("E0015", "issueDate")}
        assert review.preview
        assert b"<dCompet>2026-11-15</dCompet>" in review.preview.xml

    def test_review_gives_every_refusal_a_hint(self) -> None:
        review = reviewed(body(issueDate="2026-11-15", borrower=FIRM | {"taxId": CNPJ}, nbs="999999999"))
        assert len(review.problems) == 3
        assert all(problem.hint for problem in review.problems)

    def test_schema_refusal_has_the_authoritys_code_and_the_callers_field(self) -> None:
        (problem,) = reviewed(body(taxes={"pis": {"rate": 1}, "pisCofinsCst": "33"}), by=NORMAL).problems
        assert (problem.code, problem.path) == ("E1235", "taxes.pisCofinsCst")

    def test_review_has_no_preview_of_a_body_that_cannot_be_written(self) -> None:
        review = reviewed(body(deductions={"rate": Decimal("10.123")}), by=NORMAL)
        assert codes_of(review.problems) == {("E1235", "deductions.rate")}
        assert review.preview is None

    def test_review_has_the_same_problems_as_issuing(self, signer: Signer) -> None:
        changes = {"issueDate": "2026-11-15"}
        assert reviewed(body(**changes)).problems == issued(signer, **changes)

    def test_refused_body_is_not_signed(self, signer: Signer) -> None:
        assert isinstance(issue(NfseRequest.model_validate(SHORTCUT), issuance(signer=signer)), tuple)


class TestRateOfTheMunicipality:
    def test_rate_that_differs_from_the_municipalitys_is_warned_of(self) -> None:
        warnings = composed(
            body(borrower=FIRM, nbs=NBS, totalTaxes={"federal": 1}), by=NORMAL, iss_rate=Decimal(5)
        ).warnings
        assert any("5" in warning and "2" in warning for warning in warnings)

    @pytest.mark.parametrize("rate", [None, Decimal("2.00")])
    def test_rate_that_equals_the_municipalitys_or_cannot_be_compared_is_not_warned_of(
        self, rate: Decimal | None
    ) -> None:
        payload = body(borrower=FIRM, nbs=NBS, totalTaxes={"federal": 1})
        assert composed(payload, by=NORMAL, iss_rate=rate).warnings == ()
