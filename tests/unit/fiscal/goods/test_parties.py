"""The parties of a sale: company, buyer, places and readers."""

import dataclasses
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.homologation import HOMOLOGATION_NAME
from carimbo.fiscal.goods.parties import RecipientBody
from carimbo.fiscal.layouts.nfe_v4.document import write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.paths import locate
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    CPF,
    LISBON,
    PRODUCTION,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    buyer,
    company,
    composed_nfe,
    emission,
    issued_nfe,
    item,
    misformed,
    nfe,
    refused,
    said,
)

FOREIGNER = buyer(taxId=None, foreignId="AB-12345", address=LISBON)


def issuer(path: str, *, recipient: dict[str, Any] | None = None, **changes: Any) -> str | None:
    return said(nfe(by=company(**changes), recipient=recipient or buyer()), f"emit/{path}")


def recipient(path: str, **changes: Any) -> str | None:
    return said(nfe(under=PRODUCTION, recipient=buyer(**changes)), f"dest/{path}")


class TestIssuer:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("CNPJ", CNPJ),
            ("xNome", "Loja Modelo Ltda"),
            ("xFant", None),
            ("IE", "111111110110"),
            ("IEST", None),
            ("IM", None),
            ("CRT", "1"),
            ("enderEmit/cMun", "3550308"),
            ("enderEmit/CEP", "01001000"),
            ("enderEmit/fone", None),
        ],
    )
    def test_is_the_company(self, path: str, value: str | None) -> None:
        assert issuer(path) == value

    @pytest.mark.parametrize(
        ("regime", "code"), [("simples", "1"), ("simplesExcess", "2"), ("normal", "3"), ("mei", "4")]
    )
    def test_tells_the_regime_by_its_code(self, regime: str, code: str) -> None:
        taxes = {"icms": {"cst": "40"}, "pis": {"cst": "07"}, "cofins": {"cst": "07"}}
        goods = {"description": "Caneca", "ncm": "69120000", "quantity": 1, "unitValue": 1}
        assert said(nfe(by=company(taxRegime=regime), items=[goods | taxes]), "emit/CRT") == code

    def test_with_letters_in_its_cnpj_stands_before_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(signer, by=company(taxId="12.ABC.345/01DE-35"))
        assert isinstance(document, SignedDocument), document
        assert document.access_key[6:20] == BUYER_CNPJ

    def test_has_a_name_of_sixty_characters_at_most(self) -> None:
        assert issuer("xNome", legalName="A" * 59 + " " + "B" * 90) == "A" * 59
        assert issuer("xNome", legalName="Ã" * 150) == "Ã" * 60

    def test_has_a_name_without_double_spaces_before_it_is_cut(self) -> None:
        assert issuer("xNome", legalName=f"A{' ' * 40}B{' ' * 40}C") == "A B C"

    def test_that_is_cut_still_fits_when_typographic_characters_grow(self) -> None:
        name = issuer("xNome", legalName="A" * 59 + "…")
        assert name
        assert len(name) <= 60

    def test_with_a_registration_in_the_buyers_state_is_the_substitute_there(self) -> None:
        both = [{"state": "SP", "number": "111111110110"}, {"state": "RJ", "number": "22222228"}]
        there = buyer(address=RIO_DE_JANEIRO)
        assert issuer("IEST", recipient=there, stateRegistrations=both) == "22222228"
        assert issuer("IE", recipient=there, stateRegistrations=both) == "111111110110"
        assert issuer("IEST", stateRegistrations=both) is None

    def test_tells_its_activity_only_beside_the_municipal_registration(self) -> None:
        assert issuer("CNAE", cnaeCode="4751-2/01") is None
        assert issuer("CNAE", cnaeCode="4751-2/01", municipalRegistration="123") == "4751201"

    def test_without_a_registration_tells_none(self, signer: Signer) -> None:
        unregistered = company(stateRegistrations=[], taxRegime="mei")
        document = issued_nfe(signer, by=unregistered)
        assert isinstance(document, SignedDocument), document
        assert b"</enderEmit><CRT>4</CRT></emit>" in document.xml

    def test_with_a_character_of_no_document_is_refused_at_the_companys_record(self, signer: Signer) -> None:
        assert set(refused(issued_nfe(signer, by=company(legalName="Loja 🎉 Ltda")))) == {"company.legalName"}

    @pytest.mark.parametrize("field", ["state_registration", "st_state_registration"])
    def test_with_a_registration_that_cannot_be_written_is_refused_at_the_registrations(
        self, field: str
    ) -> None:
        made = nfe()
        wrong: dict[str, Any] = {field: "1" * 15}
        unwritable = dataclasses.replace(made, issuer=dataclasses.replace(made.issuer, **wrong))
        assert refused(write(unwritable)) == {
            "company.stateRegistrations": "O campo tem mais de 14 caracteres."
        }

    @pytest.mark.parametrize("tag", ["IE", "IEST"])
    def test_whose_registration_the_xsd_refuses_is_told_at_the_registrations(self, tag: str) -> None:
        assert locate(Invoice, [("emit", 0), (tag, 0)]) == "company.stateRegistrations"

    def test_tells_its_registration_at_suframa(self, signer: Signer) -> None:
        registered = company(suframaRegistration="123456789")
        document = issued_nfe(signer, by=registered)
        assert isinstance(document, SignedDocument), document
        assert said(nfe(by=registered), "emit/ISUFEmit") == "123456789"
        assert said(nfe(), "emit/ISUFEmit") is None

    @pytest.mark.parametrize("number", ["1234567", "1234567890", "12345678A"])
    def test_has_a_registration_at_suframa_of_eight_or_nine_digits(self, number: str) -> None:
        with pytest.raises(ValidationError) as raised:
            company(suframaRegistration=number)
        assert misformed(raised.value) == {"suframaRegistration": "Formato inválido."}


class TestRecipient:
    @pytest.mark.parametrize(
        ("tax_id", "tag", "written"),
        [("529.982.247-25", "CPF", CPF), ("12.ABC.345/01DE-35", "CNPJ", BUYER_CNPJ), (CNPJ, "CNPJ", CNPJ)],
    )
    def test_is_told_by_cpf_or_cnpj(self, tax_id: str, tag: str, written: str) -> None:
        assert recipient(tag, taxId=tax_id) == written

    def test_has_its_name_in_production(self) -> None:
        assert recipient("xNome") == "Maria da Silva"

    def test_has_nobodys_name_in_homologation(self) -> None:
        assert said(nfe(), "dest/xNome") == HOMOLOGATION_NAME
        assert HOMOLOGATION_NAME == "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"

    def test_has_a_name_of_sixty_characters_at_most(self) -> None:
        assert recipient("xNome", name="Maria " * 25) == ("Maria " * 10).rstrip()
        assert recipient("xNome", name="Ã" * 150) == "Ã" * 60

    @pytest.mark.parametrize("under", [PRODUCTION, emission()], ids=["production", "homologation"])
    def test_with_a_name_that_no_document_may_have_is_refused_in_either_environment(
        self, signer: Signer, under: Emission
    ) -> None:
        assert refused(issued_nfe(signer, under=under, recipient=buyer(name="Maria 🎉"))) == {
            "recipient.name": "O campo tem um caractere que o documento fiscal não aceita: “🎉” (U+1F389)."
        }

    def test_without_a_name_has_nobodys_name_in_homologation_too(self) -> None:
        assert said(nfe(recipient=buyer(name=None)), "dest/xNome") == HOMOLOGATION_NAME
        assert recipient("xNome", name=None) is None

    def test_is_refused_together_with_the_items(self) -> None:
        wrong = item(icms={"csosn": "101"}, pis={"cst": "97"})
        problems = composed_nfe(items=[wrong], recipient=buyer(name="Maria 🎉"))
        assert list(refused(problems)) == [
            "items[0].icms.creditRate",
            "items[0].pis.cst",
            "recipient.name",
        ]

    def test_is_refused_together_with_what_the_company_lacks(self) -> None:
        problems = composed_nfe(by=company(taxRegime="normal"), recipient=buyer(name="Maria 🎉"))
        assert list(refused(problems)) == ["company.pisCofinsRegime", "recipient.name"]

    def test_may_have_a_trade_name_that_the_document_leaves_out(self, signer: Signer) -> None:
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
    def test_pays_icms_by_what_it_is_registered_as(
        self, registration: str | None, indicator: str, written: str | None
    ) -> None:
        made = {"taxId": BUYER_CNPJ, "stateRegistration": registration}
        assert (recipient("indIEDest", **made), recipient("IE", **made)) == (indicator, written)

    def test_has_the_telephone_in_its_address(self) -> None:
        assert recipient("enderDest/fone", phone="(11) 3333-4444") == "1133334444"

    def test_has_the_municipality_of_its_city(self) -> None:
        assert recipient("enderDest/cMun", address=RIO_DE_JANEIRO) == "3304557"

    def test_with_everything_stands_before_the_xsd(self, signer: Signer) -> None:
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

    def test_without_any_identity_is_refused_at_the_recipient(self, signer: Signer) -> None:
        problems = issued_nfe(signer, recipient=buyer(taxId=None))
        assert all(path.startswith("recipient") for path in refused(problems))

    def test_with_an_email_longer_than_the_layouts_is_refused_at_the_email(self, signer: Signer) -> None:
        problems = issued_nfe(signer, recipient=buyer(email=f"{'a' * 60}@example.com"))
        assert set(refused(problems)) == {"recipient.email"}


class TestForeigner:
    def test_stands_before_the_xsd(self, signer: Signer) -> None:
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
    def test_is_told_as_the_manual_wants(self, path: str, value: str | None) -> None:
        assert said(nfe(recipient=FOREIGNER), path) == value

    def test_without_a_document_has_the_one_element_that_may_be_empty(self, signer: Signer) -> None:
        exit_place = {"state": "SP", "exitPlace": "Porto de Santos"}
        document = issued_nfe(signer, recipient=buyer(taxId=None, address=LISBON), export=exit_place)
        assert isinstance(document, SignedDocument), document
        assert b"<dest><idEstrangeiro></idEstrangeiro><xNome>" in document.xml


class TestBody:
    @pytest.mark.parametrize(
        ("changes", "field", "message"),
        [
            ({"taxId": "11111111111"}, "taxId", "CPF ou CNPJ inválido: confira os dígitos verificadores."),
            ({"taxId": 52998224725}, "taxId", "Deve ser um texto."),
            (
                {"stateRegistration": "x"},
                "stateRegistration",
                "Inscrição estadual inválida: informe de 2 a 14 dígitos, ou ISENTO.",
            ),
            ({"foreignId": "1"}, "foreignId", "Deve ter pelo menos 5 caractere(s)."),
            ({"email": "a@b"}, "email", "E-mail inválido."),
            ({"name": "M"}, "name", "Deve ter pelo menos 2 caractere(s)."),
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
            ({"address": LISBON | {"country": ""}}, "address.country", "Deve ter pelo menos 1 caractere(s)."),
            ({"address": LISBON | {"zipcode": "01001000"}}, "address.zipcode", "Campo desconhecido."),
            ({"address": "Rua 1"}, "address", "Deve ser um objeto JSON."),
            ({"xNome": "Maria"}, "xNome", "Campo desconhecido."),
        ],
    )
    def test_refuses_what_is_not_of_the_right_form(
        self, changes: dict[str, Any], field: str, message: str
    ) -> None:
        with pytest.raises(ValidationError) as raised:
            RecipientBody.model_validate(buyer(**changes))
        assert misformed(raised.value) == {field: message}


class TestPlaces:
    @pytest.mark.parametrize(
        ("field", "tag"), [("pickupAddress", "retirada"), ("deliveryAddress", "entrega")]
    )
    def test_stand_with_who_is_there(self, signer: Signer, field: str, tag: str) -> None:
        place: dict[str, Any] = RIO_DE_JANEIRO | {
            "taxId": BUYER_CNPJ,
            "name": "Depósito",
            "stateRegistration": "22222228",
            "phone": "2133334444",
            "email": "deposito@example.com",
        }
        changes: dict[str, Any] = {field: place}
        document = issued_nfe(signer, **changes)
        assert isinstance(document, SignedDocument), document
        assert f"<{tag}><CNPJ>{BUYER_CNPJ}</CNPJ><xNome>Depósito</xNome>" in document.xml.decode()

    def test_of_delivery_is_the_destination_of_the_sale(self) -> None:
        made = nfe(deliveryAddress=RIO_DE_JANEIRO | {"taxId": CPF})
        assert said(made, "ide/idDest") == "2"
        assert said(made, "det/prod/CFOP") == "6108"

    def test_of_pickup_is_not(self) -> None:
        assert said(nfe(pickupAddress=RIO_DE_JANEIRO | {"taxId": CPF}), "ide/idDest") == "1"


class TestReaders:
    def test_are_companies_or_persons(self, signer: Signer) -> None:
        accountant = "11144477735"
        document = issued_nfe(signer, authorizedReaders=[{"taxId": BUYER_CNPJ}, {"taxId": accountant}])
        assert isinstance(document, SignedDocument), document
        allowed = f"<autXML><CNPJ>{BUYER_CNPJ}</CNPJ></autXML><autXML><CPF>{accountant}</CPF></autXML>"
        assert allowed in document.xml.decode()
