"""Refusals of a schema, with the field names of the caller."""

import re
from datetime import date

import pytest
from lxml import etree

from carimbo.fiscal.layouts.group import INLINE, attribute, child, children, day, group, text
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"

# A message with one field of each kind; it replaces the NF-e in an operator's folder.
XSD = f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="{NAMESPACE}" xmlns:n="{NAMESPACE}"
 targetNamespace="{NAMESPACE}" elementFormDefault="qualified">
<xs:element name="pedido">
 <xs:complexType><xs:sequence>
  <xs:element name="lote" type="xs:string"/>
  <xs:element name="inf"><xs:complexType><xs:sequence>
   <xs:choice><xs:element name="CNPJ" type="codigo"/><xs:element name="CPF" type="codigo"/></xs:choice>
   <xs:element name="xNome" type="nome"/>
   <xs:element name="dia" type="xs:date"/>
   <xs:element name="sigla"><xs:simpleType><xs:restriction base="xs:string"><xs:length value="2"/>
    </xs:restriction></xs:simpleType></xs:element>
   <xs:element name="tipo"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="0"/>
    <xs:enumeration value="1"/></xs:restriction></xs:simpleType></xs:element>
   <xs:element name="obs" type="nome" minOccurs="0"/>
   <xs:element name="item" maxOccurs="9"><xs:complexType><xs:sequence>
     <xs:element name="NCM" type="codigo"/><xs:element name="qtd" type="quantidade" minOccurs="0"/>
    </xs:sequence><xs:attribute name="n" type="codigo" use="required"/></xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
 </xs:sequence></xs:complexType>
 <xs:unique name="n"><xs:selector xpath="n:inf/n:item"/><xs:field xpath="@n"/></xs:unique>
</xs:element>
<xs:simpleType name="codigo"><xs:restriction base="xs:string"><xs:pattern value="[0-9]{{1,8}}"/>
 </xs:restriction></xs:simpleType>
<xs:simpleType name="nome"><xs:restriction base="xs:string"><xs:minLength value="2"/><xs:maxLength value="5"/>
 <xs:pattern value="[A-Z]*"/></xs:restriction></xs:simpleType>
<xs:simpleType name="quantidade"><xs:restriction base="xs:integer"><xs:maxInclusive value="9"/>
 </xs:restriction></xs:simpleType>
</xs:schema>"""

VALID = (
    f'<pedido xmlns="{NAMESPACE}"><lote>1</lote><inf><CNPJ>1</CNPJ><xNome>ANA</xNome><dia>2026-11-14</dia>'
    '<sigla>SP</sigla><tipo>0</tipo><item n="1"><NCM>1</NCM></item><item n="2"><NCM>2</NCM></item></inf>'
    "</pedido>"
)


@group("item")
class Item:
    """Goods."""

    number: str = attribute("n", 3, path=INLINE)
    ncm: str = text("NCM", 8)


@group("inf")
class Order:
    """The element that contains the caller's fields."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    name: str = text("xNome", 5)
    due_on: date = day("dia")
    state: str = text("sigla", 2)
    kind: str = text("tipo", 1)
    items: tuple[Item, ...] = children("item", 9)


@group("pedido")
class Envelope:
    """The whole message, to locate from further up."""

    batch: str = text("lote", 15)
    order: Order = child("inf")


@pytest.fixture(scope="module")
def schemas(tmp_path_factory: pytest.TempPathFactory) -> Schemas:
    folder = tmp_path_factory.mktemp("operator")
    (folder / Schema.NFE.file_name).write_text(XSD, encoding="utf-8")
    return Schemas(folder)


class ProblemsAfter:
    """Returns the problems of the small message after one replacement."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def __call__(self, old: str, new: str, record: type | None = Order) -> tuple[Problem, ...]:
        assert old in VALID
        root = etree.fromstring(VALID.replace(old, new))
        return self._schemas.problems(Schema.NFE, root, record)


@pytest.fixture
def problems_after(schemas: Schemas) -> ProblemsAfter:
    return ProblemsAfter(schemas)


class TestValidMessage:
    def test_valid_message_has_no_problem(self, problems_after: ProblemsAfter) -> None:
        assert problems_after("ANA", "EVA") == ()

    def test_valid_message_may_be_a_part_of_another(self, schemas: Schemas) -> None:
        (inner,) = etree.fromstring(f"<around>{VALID}</around>")
        assert schemas.problems(Schema.NFE, inner, Order) == ()


class TestWrongValue:
    def test_wrong_value_is_reported_with_code_path_value_format_and_source(
        self, problems_after: ProblemsAfter
    ) -> None:
        assert problems_after("<NCM>2<", "<NCM>2A<") == (
            Problem(
                "225",
                "items[1].ncm",
                "O valor “2A” não tem o formato exigido.",
                "O formato exigido, como expressão regular, é [0-9]{1,8}.",
                "XSD nfe_v4.00.xsd, elemento NCM",
            ),
        )

    def test_problem_lists_the_allowed_values_if_they_are_few(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<tipo>0<", "<tipo>7<")
        assert problem.path == "kind"
        assert problem.message == "O valor “7” não é um dos permitidos."
        assert problem.hint == "Valores permitidos: 0, 1."

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("ANA", "MARIANA", "O tamanho é 7; o máximo é 5."),
            ("ANA", "A", "O tamanho é 1; o mínimo é 2."),
            ("ANA", "", "O campo está vazio."),
            ("ANA", "mariana", "O tamanho é 7; o máximo é 5."),
            (">SP<", ">SPX<", "O tamanho é 3; o exigido é 2."),
            ("2026-11-14", "14/11/2026", "O valor “14/11/2026” não é do tipo exigido."),
            ("2</NCM>", "2</NCM><qtd>10</qtd>", "O valor “10” de qtd está fora dos limites."),
            ("2</NCM>", "2</NCM><qtd>x</qtd>", "O valor “x” de qtd não é do tipo exigido."),
            ('n="2"', 'n="B"', "O valor “B” de item/@n não tem o formato exigido."),
        ],
    )
    def test_wrong_value_is_reported_once_by_the_most_informative_error(
        self, problems_after: ProblemsAfter, old: str, new: str, message: str
    ) -> None:
        assert [problem.message for problem in problems_after(old, new)] == [message]

    def test_long_value_is_cut_in_the_message(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2<", f"<NCM>{'9' * 5_000}<")
        assert len(problem.message) < 150

    def test_value_that_quotes_the_validator_does_not_confuse_it(self, problems_after: ProblemsAfter) -> None:
        trap = "x', attribute 'n': The attribute 'n' is required by the pattern 'y"
        (problem,) = problems_after("<NCM>2<", f"<NCM>{trap}<")
        assert problem.path == "items[1].ncm"
        assert problem.hint == "O formato exigido, como expressão regular, é [0-9]{1,8}."

    def test_wrong_attribute_has_the_path_of_its_field(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after('n="2"', 'n="B"')
        assert (problem.path, problem.source) == ("items[1]", "XSD nfe_v4.00.xsd, elemento item/@n")

    def test_every_wrong_element_is_reported_in_the_order_of_the_message(
        self, problems_after: ProblemsAfter
    ) -> None:
        wrong = problems_after("ANA</xNome><dia>2026-11-14", "A</xNome><dia>hoje")
        assert [problem.path for problem in wrong] == ["name", "dueOn"]


class TestMissing:
    def test_missing_element_before_another_is_named_and_located(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<xNome>ANA</xNome>", "")
        assert problem.path == "name"
        assert problem.message == "Obrigatório."
        assert problem.source == "XSD nfe_v4.00.xsd, elemento xNome"

    def test_missing_element_at_the_end_is_named_and_located(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2</NCM>", "")
        assert (problem.path, problem.message) == ("items[1].ncm", "Obrigatório.")

    def test_missing_choice_that_is_one_field_is_located(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<CNPJ>1</CNPJ>", "")
        assert problem.path == "taxId"
        assert problem.message == "Obrigatório."

    def test_missing_list_is_located(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after('<item n="1"><NCM>1</NCM></item><item n="2"><NCM>2</NCM></item>', "")
        assert problem.path == "items"
        assert problem.message == "Obrigatório."

    def test_missing_attribute_is_named_and_located(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after(' n="2"', "")
        assert (problem.path, problem.message) == ("items[1]", "Falta o atributo n em item.")


class TestTooMuch:
    def test_unknown_element_is_reported_at_its_group(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2", "<extra/><NCM>2")
        assert (problem.path, problem.message) == ("items[1]", "O elemento extra não pode estar aqui.")

    def test_second_choice_is_reported_at_its_field(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<xNome>", "<CPF>1</CPF><xNome>")
        assert (problem.path, problem.message) == (
            "taxId",
            "CPF não se usa com CNPJ: informe só um dos dois.",
        )

    def test_repeated_element_is_reported_at_its_field(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<xNome>ANA</xNome>", "<xNome>ANA</xNome><xNome>EVA</xNome>")
        assert (problem.path, problem.message) == ("name", "Está mais de uma vez onde cabe uma só.")

    def test_unknown_attribute_is_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after('n="2"', 'n="2" m="1"')
        assert (problem.path, problem.message) == ("items[1]", "O atributo m não existe em item.")

    def test_repeated_unique_number_is_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after('n="2"', 'n="1"')
        assert problem.path == "items[1]"
        assert problem.message == "O campo repete um valor que deve ser único na mensagem."

    def test_text_between_elements_is_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2", "solto<NCM>2")
        assert (problem.path, problem.message) == (
            "items[1]",
            "O campo leva outros elementos, e não um texto.",
        )

    def test_elements_inside_a_text_are_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2", "<NCM>2<a/>")
        assert problem.path == "items[1].ncm"
        assert problem.message == "O campo leva um texto, e não outros elementos."

    def test_attribute_of_a_text_is_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after("<NCM>2", '<NCM a="1">2')
        assert (problem.path, problem.message) == ("items[1].ncm", "O atributo a não existe em NCM.")

    def test_other_errors_are_reported_in_the_validators_words(self, problems_after: ProblemsAfter) -> None:
        nil = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"'
        (problem,) = problems_after("<NCM>2", f"<NCM {nil}>2")
        assert problem.path == "items[1].ncm"
        assert problem.message == "O campo não segue o schema: “The element is not 'nillable'.”"

    def test_a_message_of_another_schema_is_reported(self, problems_after: ProblemsAfter) -> None:
        (problem,) = problems_after(VALID, f'<outro xmlns="{NAMESPACE}"/>')
        assert (problem.path, problem.message) == ("", "O elemento outro não é o que este schema descreve.")


class TestPath:
    def test_path_begins_at_the_element_of_the_record(self, problems_after: ProblemsAfter) -> None:
        assert [problem.path for problem in problems_after("ANA", "A", record=Envelope)] == ["order.name"]

    def test_path_is_empty_outside_the_element_of_the_record(self, problems_after: ProblemsAfter) -> None:
        assert [problem.path for problem in problems_after("<lote>1</lote>", "")] == [""]

    def test_path_is_empty_without_a_record(self, problems_after: ProblemsAfter) -> None:
        assert [problem.path for problem in problems_after("ANA", "A", record=None)] == [""]

    def test_path_counts_elements_only(self, problems_after: ProblemsAfter) -> None:
        assert [p.path for p in problems_after("<NCM>2", "<!-- a --><?b c?><NCM>B")] == ["items[1].ncm"]

    def test_path_is_the_same_with_prefixes(self, schemas: Schemas) -> None:
        prefixed = re.sub(r"<(/?)(\w)", r"<\1p:\2", VALID).replace("xmlns=", "xmlns:p=").replace(">2<", ">B<")
        (problem,) = schemas.problems(Schema.NFE, etree.fromstring(prefixed), Order)
        assert (problem.path, problem.message[:14]) == ("items[1].ncm", "O valor “B” nã")

    def test_path_is_the_same_inside_another_message(self, schemas: Schemas) -> None:
        (inner,) = etree.fromstring(f"<around>{VALID.replace('>2<', '>B<')}</around>")
        assert [problem.path for problem in schemas.problems(Schema.NFE, inner, Order)] == ["items[1].ncm"]
