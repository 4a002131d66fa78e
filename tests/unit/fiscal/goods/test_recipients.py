"""The buyer of a sale, at home and abroad."""

from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.filling import HOMOLOGATION_NAME
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.recipient import RecipientBody
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    CPF,
    LISBON,
    PRODUCTION,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    SOLD_IN_THE_SHOP,
    buyer,
    company,
    composed_nfe,
    emission,
    issued_nfce,
    issued_nfe,
    item,
    misformed,
    nfe,
    refused,
    text_at,
    without,
)

FOREIGNER = buyer(taxId=None, foreignId="AB-12345", address=LISBON)


def listed(problems: object) -> tuple[Problem, ...]:
    assert isinstance(problems, tuple), "nothing was refused"
    return problems


def recipient(path: str, **changes: Any) -> str | None:
    return text_at(nfe(under=PRODUCTION, recipient=buyer(**changes)), f"dest/{path}")


class TestRecipient:
    @pytest.mark.parametrize(
        ("tax_id", "tag", "written"),
        [("529.982.247-25", "CPF", CPF), ("12.ABC.345/01DE-35", "CNPJ", BUYER_CNPJ), (CNPJ, "CNPJ", CNPJ)],
    )
    def test_recipient_is_identified_by_cpf_or_cnpj(self, tax_id: str, tag: str, written: str) -> None:
        assert recipient(tag, taxId=tax_id) == written

    def test_recipient_has_its_name_in_production(self) -> None:
        assert recipient("xNome") == "Maria da Silva"

    def test_recipient_has_a_fixed_name_in_homologation(self) -> None:
        assert text_at(nfe(), "dest/xNome") == HOMOLOGATION_NAME
        assert HOMOLOGATION_NAME == "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

    def test_recipient_name_has_at_most_sixty_characters(self) -> None:
        assert recipient("xNome", name="Maria " * 25) == ("Maria " * 10).rstrip()
        assert recipient("xNome", name="Ã" * 150) == "Ã" * 60

    @pytest.mark.parametrize(
        ("name", "is_cut"),
        [("A" * 61, True), ("A" * 59 + "…", True), ("A" * 60, False), ("A" * 57 + "…", False)],
    )
    def test_recipient_name_that_is_cut_causes_a_warning(self, name: str, is_cut: bool) -> None:
        items = [item(approximateTaxes=30)]
        composition = composed_nfe(
            under=PRODUCTION, recipient=buyer(name=name), items=items, **SOLD_IN_THE_SHOP
        )
        assert isinstance(composition, Composition)
        warning = "recipient.name: O nome é cortado em 60 caracteres, pois o leiaute não tem mais."
        assert composition.warnings == ((warning,) if is_cut else ())

    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_recipient_name_outside_the_layout_is_refused_in_either_environment(
        self, signer: Signer, under: Emission
    ) -> None:
        assert refused(issued_nfe(signer, under=under, recipient=buyer(name="Maria 🎉"))) == {
            "recipient.name": "O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389)."
        }

    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_missing_name_of_an_identified_buyer_is_a_missing_field(self, under: Emission) -> None:
        problems = composed_nfe(under=under, recipient=buyer(name=None))
        assert [(problem.code, problem.path) for problem in listed(problems)] == [
            ("VALIDATION_ERROR", "recipient.name")
        ]

    def test_recipient_is_refused_together_with_the_items(self) -> None:
        wrong = item(icms={"csosn": "101"}, pis={"cst": "97"})
        problems = composed_nfe(items=[wrong], recipient=buyer(name="Maria 🎉"))
        assert list(refused(problems)) == [
            "items[0].icms.creditRate",
            "items[0].pis.cst",
            "recipient.name",
        ]

    def test_recipient_is_refused_together_with_the_missing_fields_of_the_company(self) -> None:
        problems = composed_nfe(by=company(taxRegime="normal"), recipient=buyer(name="Maria 🎉"))
        assert list(refused(problems)) == ["company.pisCofinsRegime", "recipient.name"]

    def test_recipient_may_have_a_trade_name_that_the_document_leaves_out(self, signer: Signer) -> None:
        document = issued_nfe(signer, recipient=buyer(tradeName="Casa da Maria"))
        assert isinstance(document, SignedDocument), document
        assert b"Casa da Maria" not in document.xml

    @pytest.mark.parametrize(
        ("registration", "indicator", "written"),
        [
            (None, "9", None),
            ("ISENTO", "2", None),
            ("isento", "2", None),
            ("110.042.490.114", "1", "110042490114"),
        ],
    )
    def test_recipient_icms_indicator_depends_on_its_state_registration(
        self, registration: str | None, indicator: str, written: str | None
    ) -> None:
        registered = {"taxId": BUYER_CNPJ, "stateRegistration": registration}
        assert (recipient("indIEDest", **registered), recipient("IE", **registered)) == (indicator, written)

    def test_recipient_phone_is_written_in_its_address(self) -> None:
        assert recipient("enderDest/fone", phone="(11) 3333-4444") == "1133334444"

    def test_recipient_has_the_municipality_of_its_city(self) -> None:
        assert recipient("enderDest/cMun", address=RIO_DE_JANEIRO) == "3304557"

    def test_recipient_with_every_field_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        whole = buyer(
            taxId=BUYER_CNPJ,
            stateRegistration="110042490114",
            municipalRegistration="12345",
            suframaRegistration="12345678",
            email="compras@example.com",
            phone="11 3333-4444",
            address=SAO_PAULO | {"complement": "Sala 1", "countryCode": "1058"},
        )
        assert isinstance(issued_nfe(signer, recipient=whole), SignedDocument)

    def test_missing_id_and_name_are_reported_with_the_missing_fields_of_items(self) -> None:
        with pytest.raises(ValidationError) as raised:
            NfeRequest.model_validate({"recipient": {}, "items": [without("quantity", item())]})
        assert misformed(raised.value) == {
            "items[0].quantity": "Campo obrigatório.",
            "recipient.taxId": "Campo obrigatório.",
            "recipient.name": "Campo obrigatório.",
        }

    def test_missing_id_of_a_receipts_buyer_is_a_missing_field(self, signer: Signer) -> None:
        problems = issued_nfce(signer, recipient={"name": "Maria da Silva"})
        assert [(problem.code, problem.path) for problem in listed(problems)] == [
            ("VALIDATION_ERROR", "recipient.taxId")
        ]

    def test_recipient_email_longer_than_the_layout_is_refused_at_the_email(self, signer: Signer) -> None:
        problems = issued_nfe(signer, recipient=buyer(email=f"{'a' * 60}@example.com"))
        assert set(refused(problems)) == {"recipient.email"}


class TestForeigner:
    def test_foreigner_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        export = {"state": "SP", "exitPlace": "Santos"}
        document = issued_nfe(signer, under=PRODUCTION, recipient=FOREIGNER, export=export)
        assert isinstance(document, SignedDocument), document
        assert b"<dest><idEstrangeiro>AB-12345</idEstrangeiro><xNome>Maria da Silva</xNome>" in document.xml

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("dest/enderDest/cMun", "9999999"),
            ("dest/enderDest/xMun", "EXTERIOR"),
            ("dest/enderDest/UF", "EX"),
            ("dest/enderDest/CEP", None),
            ("dest/enderDest/cPais", "6076"),
            ("dest/enderDest/xPais", "PORTUGAL"),
            ("dest/indIEDest", "9"),
            ("ide/idDest", "3"),
            ("ide/indFinal", "0"),
            ("det/prod/CFOP", "7102"),
        ],
    )
    def test_foreigner_is_written_as_the_manual_requires(self, path: str, value: str | None) -> None:
        assert text_at(nfe(recipient=FOREIGNER, presence="other"), path) == value

    @pytest.mark.parametrize(
        ("complement", "city", "written"),
        [
            (None, "Lisboa", "Lisboa"),
            ("3.º andar", "Lisboa", "3.º andar, Lisboa"),
            ("3.º andar", None, "3.º andar"),
            (None, None, None),
            ("a" * 53, "Lisboa", "a" * 53),
            ("a" * 51 + "…", "Lisboa", "a" * 51 + "..."),
            ("Centro de Lisboa", "Lisboa", "Centro de Lisboa"),
        ],
    )
    def test_foreigner_has_the_city_in_the_complement_if_there_is_room(
        self, complement: str | None, city: str | None, written: str | None
    ) -> None:
        address = LISBON | {"complement": complement, "city": city}
        abroad = buyer(taxId=None, foreignId="AB-12345", address=address)
        assert text_at(nfe(recipient=abroad), "dest/enderDest/xCpl") == written

    def test_foreigner_without_a_document_has_an_empty_element(self, signer: Signer) -> None:
        exit_place = {"state": "SP", "exitPlace": "Porto de Santos"}
        document = issued_nfe(signer, recipient=buyer(taxId=None, address=LISBON), export=exit_place)
        assert isinstance(document, SignedDocument), document
        assert b"<dest><idEstrangeiro></idEstrangeiro><xNome>" in document.xml

    @pytest.mark.parametrize("code", ["US", "us", "2496", 2496])
    def test_country_is_written_by_its_code_and_the_name_of_the_table(self, code: str | int) -> None:
        abroad = buyer(
            taxId=None, foreignId="AB-12345", address=without("country", LISBON) | {"countryCode": code}
        )
        invoice = nfe(recipient=abroad)
        written = [text_at(invoice, f"dest/enderDest/{tag}") for tag in ("cPais", "xPais", "UF")]
        assert written == ["2496", "Estados Unidos", "EX"]

    def test_country_that_the_table_lacks_is_written_as_given(self) -> None:
        abroad = buyer(taxId=None, foreignId="AB-12345", address=LISBON | {"countryCode": "9990"})
        assert text_at(nfe(recipient=abroad), "dest/enderDest/cPais") == "9990"


class TestIncompleteAddress:
    def test_every_missing_field_of_an_address_is_reported_at_once(self, signer: Signer) -> None:
        exempt = {"icmsContribution": "exempt", "stateRegistration": "110042490114"}
        problems = issued_nfe(signer, recipient=buyer(address={"zipcode": "01001-000"}, **exempt))
        assert [(problem.code, problem.path) for problem in listed(problems)] == [
            ("791", "recipient.stateRegistration"),
            ("726", "recipient.address.street"),
            ("726", "recipient.address.number"),
            ("726", "recipient.address.district"),
            ("726", "recipient.address.city"),
            ("726", "recipient.address.state"),
        ]

    def test_address_abroad_requires_the_lines_of_its_layout(self) -> None:
        abroad = buyer(taxId=None, foreignId="AB-12345", address={"countryCode": "PT", "city": "Lisboa"})
        assert [problem.path for problem in listed(composed_nfe(recipient=abroad))] == [
            "recipient.address.street",
            "recipient.address.number",
            "recipient.address.district",
        ]

    def test_missing_address_line_is_named_in_the_message_and_the_hint(self) -> None:
        (problem,) = listed(composed_nfe(recipient=buyer(address=without("number", SAO_PAULO))))
        assert problem.message == "O documento precisa do endereço do destinatário, em que falta o número."
        assert problem.hint == "Informe recipient.address.number."

    def test_zipcode_is_not_needed_by_an_nfe(self, signer: Signer) -> None:
        document = issued_nfe(signer, recipient=buyer(address=without("zipcode", SAO_PAULO)))
        assert isinstance(document, SignedDocument), document

    def test_receipt_leaves_an_incomplete_address_out_with_a_warning(self, signer: Signer) -> None:
        document = issued_nfce(signer, recipient=buyer(address={"zipcode": "01001-000", "state": "SP"}))
        assert isinstance(document, SignedDocument), document
        assert b"enderDest" not in document.xml
        assert (
            "recipient.address: O endereço está incompleto e fica fora do documento; falta:"
            " o logradouro, o número, o bairro, o município."
        ) in document.warnings

    def test_receipt_with_delivery_needs_every_line_of_the_address(self, signer: Signer) -> None:
        there = buyer(address=without("street", SAO_PAULO))
        problems = listed(issued_nfce(signer, recipient=there, presence="delivery"))
        assert [(problem.code, problem.path) for problem in problems] == [("788", "recipient.address.street")]


class TestBody:
    @pytest.mark.parametrize(
        ("address", "blanks"),
        [(SAO_PAULO, ["country", "countryCode"]), (LISBON, ["zipcode", "state", "cityCode"])],
        ids=["in Brazil", "abroad"],
    )
    def test_blank_fields_of_the_other_form_of_address_count_as_absent(
        self, address: dict[str, Any], blanks: list[str]
    ) -> None:
        whole = RecipientBody.model_validate(buyer(address=address))
        for blank in (None, ""):
            sent = buyer(address=address | dict.fromkeys(blanks, blank))
            assert RecipientBody.model_validate(sent) == whole

    @pytest.mark.parametrize(
        ("changes", "field", "message"),
        [
            ({"taxId": "11111111111"}, "taxId", "CPF ou CNPJ inválido: confira os dígitos verificadores."),
            ({"taxId": True}, "taxId", "Deve ser um texto."),
            (
                {"stateRegistration": "x"},
                "stateRegistration",
                "Inscrição estadual inválida: informe de 2 a 14 dígitos, ou ISENTO.",
            ),
            ({"foreignId": "1"}, "foreignId", "Deve ter pelo menos 5 caracteres."),
            ({"email": "a@b"}, "email", "E-mail inválido: informe um endereço como nome@example.com."),
            ({"name": "M"}, "name", "Deve ter pelo menos 2 caracteres."),
            ({"name": "M" * 151}, "name", "Deve ter no máximo 150 caracteres."),
            ({"tradeName": "M" * 61}, "tradeName", "Deve ter no máximo 60 caracteres."),
            (
                {"address": SAO_PAULO | {"state": "XX"}},
                "address.state",
                "UF inválida: informe a sigla, por exemplo SP.",
            ),
            (
                {"address": SAO_PAULO | {"city": "Lisboa"}},
                "address.city",
                "Município não encontrado em SP: confira o nome ou informe cityCode (código IBGE).",
            ),
            (
                {"address": SAO_PAULO | {"cityCode": "3304557"}},
                "address.cityCode",
                "Código IBGE não é de um município de SP.",
            ),
            (
                {"address": LISBON | {"countryCode": "XX"}},
                "address.countryCode",
                "País desconhecido: informe as duas letras (US) ou o código do Banco Central (2496).",
            ),
            ({"address": LISBON | {"zipcode": "01001000"}}, "address.zipcode", "Campo desconhecido."),
            ({"address": "Rua 1"}, "address", "Deve ser um objeto JSON."),
            ({"xNome": "Maria"}, "xNome", "Campo desconhecido."),
        ],
    )
    def test_malformed_recipient_is_refused(self, changes: dict[str, Any], field: str, message: str) -> None:
        with pytest.raises(ValidationError) as raised:
            RecipientBody.model_validate(buyer(**changes))
        assert misformed(raised.value) == {field: message}
