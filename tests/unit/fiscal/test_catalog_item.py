"""The fiscal fields of the catalog's items: those of documents, and those that an item needs by itself."""

from typing import Any

import pytest
from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.reading import STORED
from carimbo.fiscal.documents.nfse import catalog_item as services
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.goods import catalog_item as goods
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.goods.item_body import ItemBody
from unit.fiscal.goods.support import misformed

OTHERWISE_NAMED = {"service_item_code": "federal_service_code"}
# They have schemas of their own.
TAXES = ("icms", "pis", "cofins", "ipi", "ibs_cbs")
FIELDS = [
    *((ServiceFiscal, NfseRequest, name) for name in ServiceFiscal.model_fields),
    *((GoodsFiscal, ItemBody, name) for name in GoodsFiscal.model_fields if name not in TAXES),
]
ANNOTATIONS = ("title", "description", "default", "examples")
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
    """Returns the schema of a field without null and annotations, and that of the object it refers to."""
    schema = body.model_json_schema()
    field = schema["properties"][to_camel(name)]
    (form,) = [alternative for alternative in field.get("anyOf", [field]) if alternative != {"type": "null"}]
    inner = schema["$defs"].get(form.get("$ref", "").rpartition("/")[2])
    return {key: value for key, value in form.items() if key not in ANNOTATIONS}, inner


class TestFields:
    @pytest.mark.parametrize(("fiscal", "document", "name"), FIELDS)
    def test_item_fields_have_the_schema_of_the_document(
        self, fiscal: type[Body], document: type[Body], name: str
    ) -> None:
        assert not fiscal.model_fields[name].is_required()
        assert published(fiscal, name) == published(document, OTHERWISE_NAMED.get(name, name))

    @pytest.mark.parametrize("fiscal", [ServiceFiscal, GoodsFiscal])
    def test_all_item_fields_are_described(self, fiscal: type[Body]) -> None:
        assert all(field.description for field in fiscal.model_fields.values())

    @pytest.mark.parametrize("value", ["6912.0.00", "6912.00.000", "6912 00 00", 691200])
    def test_fields_of_a_wrong_form_are_refused(self, value: Any) -> None:
        with pytest.raises(ValidationError):
            GoodsFiscal.model_validate({"ncm": value})


class TestCodes:
    @pytest.mark.parametrize(("fiscal", "name", "value", "error"), WRONG_CODES)
    def test_codes_that_no_sale_can_use_are_refused(
        self, fiscal: type[Body], name: str, value: Any, error: str
    ) -> None:
        with pytest.raises(ValidationError) as caught:
            fiscal.model_validate({name: value})
        assert misformed(caught.value) == {name: error}

    @pytest.mark.parametrize(("fiscal", "name", "value", "_"), WRONG_CODES)
    def test_stored_codes_are_read_whatever_the_tables_contain(
        self, fiscal: type[Body], name: str, value: Any, _: str
    ) -> None:
        read = fiscal.model_validate({name: value}, context=STORED)
        assert read.model_dump(by_alias=True, exclude_none=True) == {name: value}

    @pytest.mark.parametrize(
        ("fiscal", "name", "value", "kept"),
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
    def test_usable_codes_are_accepted(self, fiscal: type[Body], name: str, value: str, kept: str) -> None:
        read = fiscal.model_validate({name: value})
        assert read.model_dump(by_alias=True, exclude_none=True) == {name: kept}


class TestNeededAlone:
    @pytest.mark.parametrize(
        ("payload", "lacking"),
        [
            ({}, ("serviceItemCode", "iss")),
            ({"iss": {"rate": 2}}, ("serviceItemCode",)),
            ({"serviceItemCode": "01.05"}, ("iss",)),
            (SERVICE, ()),
        ],
        ids=["nothing", "iss", "code", "both"],
    )
    def test_fields_that_a_service_needs_without_defaults_are_listed(
        self, payload: dict[str, Any], lacking: tuple[str, ...]
    ) -> None:
        assert services.needed_alone(ServiceFiscal.model_validate(payload)) == lacking

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
    def test_fields_that_a_product_needs_without_defaults_are_listed(
        self, changes: dict[str, Any], lacking: tuple[str, ...]
    ) -> None:
        assert goods.missing_without_defaults(GoodsFiscal.model_validate(GOODS | changes)) == lacking
