"""The fiscal fields of the catalog's items: those of documents, and which of them an item alone needs."""

from typing import Any

import pytest
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.documents.nfse import catalog_item as services
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.fields import Body
from carimbo.fiscal.goods import catalog_item as goods
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.item_body import ItemBody
from carimbo.fiscal.stored import STORED
from unit.fiscal.goods.support import misformed

OTHERWISE_NAMED = {"service_item_code": "federal_service_code"}
# They have forms of their own.
TAXES = ("icms", "pis", "cofins", "ipi", "ibs_cbs")
FIELDS = [
    *((ServiceFiscal, NfseRequest, name) for name in ServiceFiscal.model_fields),
    *((GoodsFiscal, ItemBody, name) for name in GoodsFiscal.model_fields if name not in TAXES),
]
SAID = ("title", "description", "default", "examples")
SERVICE: dict[str, Any] = {"serviceItemCode": "01.05", "iss": {"rate": 0}}
GOODS: dict[str, Any] = {"ncm": "00000000", "cfop": "5102", "icms": {"csosn": "102"}}
NO_CFOP = "Não é um CFOP de saída na UF: informe um da tabela que comece por 5."
NOT_LISTED = "Não está na lista nacional de serviços."
WRONG_CODES: list[tuple[type[Body], str, Any, str]] = [
    (GoodsFiscal, "ncm", "00", "Informe os 8 dígitos; 00000000 no que não é mercadoria."),
    (GoodsFiscal, "ncm", "69129999", "Não existe na tabela NCM em vigor."),
    (GoodsFiscal, "ncm", "99999999", "Não existe na tabela NCM em vigor."),
    (GoodsFiscal, "cest", "9999999", "Não está na tabela CEST."),
    (GoodsFiscal, "cfop", "1102", NO_CFOP),
    (GoodsFiscal, "cfop", "6102", NO_CFOP),
    (GoodsFiscal, "cfop", "5000", NO_CFOP),
    (GoodsFiscal, "gtin", "7891000315500", "GTIN inválido: confira o dígito verificador."),
    (GoodsFiscal, "icms", {"cst": "00", "csosn": "102"}, "Informe cst ou csosn, não os dois."),
    (ServiceFiscal, "serviceItemCode", "99.99", NOT_LISTED),
    (ServiceFiscal, "serviceItemCode", "01.05.99", NOT_LISTED),
    (ServiceFiscal, "nbs", "999999999", "Não está na tabela NBS."),
]


def published(body: type[Body], name: str) -> Any:
    """The form of a field, null and what is said of it aside, and of the object that it is."""
    schema = body.model_json_schema()
    field = schema["properties"][to_camel(name)]
    (form,) = [one for one in field.get("anyOf", [field]) if one != {"type": "null"}]
    inner = schema["$defs"].get(form.get("$ref", "").rpartition("/")[2])
    return {key: value for key, value in form.items() if key not in SAID}, inner


class TestFields:
    @pytest.mark.parametrize(("fiscal", "document", "name"), FIELDS)
    def test_are_those_of_the_document(self, fiscal: type[Body], document: type[Body], name: str) -> None:
        assert not fiscal.model_fields[name].is_required()
        assert published(fiscal, name) == published(document, OTHERWISE_NAMED.get(name, name))

    @pytest.mark.parametrize("fiscal", [ServiceFiscal, GoodsFiscal])
    def test_are_all_described(self, fiscal: type[Body]) -> None:
        assert all(field.description for field in fiscal.model_fields.values())

    @pytest.mark.parametrize("told", ["6912.0.00", "6912.00.000", "6912 00 00", 691200])
    def test_of_a_wrong_form_are_refused(self, told: Any) -> None:
        with pytest.raises(ValidationError):
            GoodsFiscal.model_validate({"ncm": told})


class TestCodes:
    @pytest.mark.parametrize(("fiscal", "name", "told", "error"), WRONG_CODES)
    def test_that_no_sale_can_use_are_refused(
        self, fiscal: type[Body], name: str, told: Any, error: str
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            fiscal.model_validate({name: told})
        assert misformed(caught.value) == {name: error}

    @pytest.mark.parametrize(("fiscal", "name", "told", "_"), WRONG_CODES)
    def test_that_were_stored_are_read_whatever_the_tables_say(
        self, fiscal: type[Body], name: str, told: Any, _: str
    ) -> None:
        read = fiscal.model_validate({name: told}, context=STORED)
        assert read.model_dump(by_alias=True, exclude_none=True) == {name: told}

    @pytest.mark.parametrize(
        ("fiscal", "name", "told", "kept"),
        [
            (GoodsFiscal, "gtin", "SEM GTIN", "SEM GTIN"),
            (GoodsFiscal, "gtin", "7891000315507", "7891000315507"),
            (GoodsFiscal, "cest", "21.046.00", "2104600"),
            (GoodsFiscal, "ncm", "00000000", "00000000"),
            (ServiceFiscal, "serviceItemCode", "1.05", "1.05"),
            (ServiceFiscal, "serviceItemCode", "07.02", "07.02"),
            (ServiceFiscal, "serviceItemCode", "010501", "010501"),
        ],
    )
    def test_that_may_be_used_are_taken(self, fiscal: type[Body], name: str, told: str, kept: str) -> None:
        read = fiscal.model_validate({name: told})
        assert read.model_dump(by_alias=True, exclude_none=True) == {name: kept}


class TestNeededAlone:
    @pytest.mark.parametrize(
        ("told", "lacking"),
        [
            ({}, ("serviceItemCode", "iss")),
            ({"iss": {"rate": 2}}, ("serviceItemCode",)),
            ({"serviceItemCode": "01.05"}, ("iss",)),
            (SERVICE, ()),
        ],
        ids=["nothing", "iss", "code", "both"],
    )
    def test_by_a_service(self, told: dict[str, Any], lacking: tuple[str, ...]) -> None:
        assert services.needed_alone(ServiceFiscal.model_validate(told)) == lacking

    @pytest.mark.parametrize(
        ("changes", "lacking"),
        [
            ({}, ()),
            ({"ncm": None}, ("ncm",)),
            ({"cfop": None}, ("cfop",)),
            ({"icms": None}, ("icms.cst",)),
            ({"icms": {}}, ("icms.cst",)),
            ({"icms": {"cst": "00"}}, ("icms.rate",)),
            ({"icms": {"cst": "00", "rate": 0}}, ()),
            ({"icms": {"cst": "40"}}, ()),
            ({"icms": {"csosn": "101"}}, ("icms.creditRate",)),
            ({"icms": {"csosn": "101", "creditRate": 1.5}}, ()),
        ],
    )
    def test_by_a_product(self, changes: dict[str, Any], lacking: tuple[str, ...]) -> None:
        assert goods.needed_alone(GoodsFiscal.model_validate(GOODS | changes)) == lacking
