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

OTHERWISE_NAMED = {"service_item_code": "federal_service_code"}
FIELDS = [
    *((ServiceFiscal, NfseRequest, name) for name in ServiceFiscal.model_fields),
    *((GoodsFiscal, ItemBody, name) for name in GoodsFiscal.model_fields),
]
SAID = ("title", "description", "default", "examples")
SERVICE: dict[str, Any] = {"serviceItemCode": "01.05", "iss": {"rate": 0}}
GOODS: dict[str, Any] = {"ncm": "00", "cfop": "5102", "icms": {"csosn": "102"}}


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

    @pytest.mark.parametrize("told", ["6912.0.00", "6912.00.000", "6912 00 00", 69120000])
    def test_of_a_wrong_form_are_refused(self, told: Any) -> None:
        with pytest.raises(ValidationError):
            GoodsFiscal.model_validate({"ncm": told})


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

    @pytest.mark.parametrize("name", GOODS)
    def test_by_a_product(self, name: str) -> None:
        told = {other: value for other, value in GOODS.items() if other != name}
        assert goods.needed_alone(GoodsFiscal.model_validate(told)) == (name,)
        assert goods.needed_alone(GoodsFiscal.model_validate(GOODS)) == ()
