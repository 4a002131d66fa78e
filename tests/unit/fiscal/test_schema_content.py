"""The elements that an XSD allows inside another."""

from pathlib import Path

import pytest

from carimbo.fiscal.schemas import SchemaFile
from carimbo.fiscal.schemas.content_model import (
    ContentError,
    ContentModel,
    ExcludedElement,
    MissingElement,
    RepeatedElement,
    content_errors,
    content_model_of,
)

XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:import namespace="urn:elsewhere"/>
<xs:include schemaLocation="types.xsd"/>
<xs:element name="order"><xs:complexType><xs:sequence>
 <xs:element name="id"/>
 <xs:sequence minOccurs="0"><xs:element name="base"/><xs:element name="rate"/></xs:sequence>
 <xs:choice><xs:element name="cash"/>
  <xs:sequence><xs:element name="card"/><xs:element name="brand"/></xs:sequence></xs:choice>
 <xs:choice minOccurs="0" maxOccurs="9"><xs:element name="red"/><xs:element name="blue"/></xs:choice>
 <xs:choice><xs:element name="gift" minOccurs="0"/><xs:element name="tip"/></xs:choice>
 <xs:choice><xs:sequence/><xs:element name="rest"/></xs:choice>
 <xs:element name="buyer" type="person" minOccurs="0"/>
</xs:sequence></xs:complexType></xs:element>
</xs:schema>"""
TYPES = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="named"><xs:sequence><xs:element name="first"/></xs:sequence></xs:complexType>
<xs:complexType name="person"><xs:complexContent><xs:extension base="named">
 <xs:sequence><xs:element name="last"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
</xs:schema>"""
WHOLE = ("id", "cash")


@pytest.fixture
def content(tmp_path: Path) -> ContentModel:
    (tmp_path / "order.xsd").write_text(XSD, encoding="utf-8")
    (tmp_path / "types.xsd").write_text(TYPES, encoding="utf-8")
    return content_model_of(SchemaFile(tmp_path / "order.xsd", is_operators=True))


class TestContent:
    @pytest.mark.parametrize(
        ("present", "wrong"),
        [
            (WHOLE, []),
            (("cash",), [MissingElement(("id",), ())]),
            (("id",), [MissingElement(("cash", "card"), ())]),
            (("id", "rate", "cash"), [MissingElement(("base",), ("rate",))]),
            (("id", "card"), [MissingElement(("brand",), ("card",))]),
            (
                ("id", "cash", "card", "brand"),
                [ExcludedElement("card", "cash"), ExcludedElement("brand", "cash")],
            ),
            ((*WHOLE, "red", "blue", "red"), []),
            ((*WHOLE, "gift"), []),
            (("id", *WHOLE), [RepeatedElement("id")]),
        ],
    )
    def test_content_errors_follow_sequences_and_choices(
        self, content: ContentModel, present: tuple[str, ...], wrong: list[ContentError]
    ) -> None:
        inside = content.inside(["order"])
        assert inside
        assert list(content_errors(inside, present)) == wrong

    def test_content_of_an_extended_type_is_found_in_an_included_file(self, content: ContentModel) -> None:
        inside = content.inside(["order", "buyer"])
        assert inside
        assert list(content_errors(inside, ())) == [
            MissingElement(("first",), ()),
            MissingElement(("last",), ()),
        ]

    @pytest.mark.parametrize("path", [["other"], ["order", "id"], ["order", "other", "id"]])
    def test_element_without_declared_content_has_none(self, content: ContentModel, path: list[str]) -> None:
        assert content.inside(path) is None
