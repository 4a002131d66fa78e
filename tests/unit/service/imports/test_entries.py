"""Records as JSON bodies, and refusals with the titles of columns."""

from decimal import Decimal

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.imports.columns import COLUMNS
from carimbo.service.imports.entries import ImportEntry
from carimbo.service.imports.files import open_file
from carimbo.service.imports.problems import problems_of_cells, problems_of_refusal
from carimbo.storage.imports import ImportKind, ImportProblem


def entries_of(kind: ImportKind, *lines: str, after: int = 0) -> list[ImportEntry]:
    return list(open_file(kind, "\n".join(lines).encode()).entries(after))


def refused(kind: ImportKind, entry: ImportEntry, refusal: Refusal) -> list[tuple[int, str | None, str]]:
    return summaries(problems_of_refusal(COLUMNS[kind], entry, refusal))


def summaries(problems: list[ImportProblem]) -> list[tuple[int, str | None, str]]:
    return [(problem.line, problem.field, problem.message) for problem in problems]


class TestBodies:
    def test_paths_become_nested_objects_without_blank_cells(self) -> None:
        [entry] = entries_of(
            ImportKind.CUSTOMERS,
            "Nome;E-mail;CEP;Cidade;Telefone",
            "Maria;m@example.com;1310100; São Paulo;  ",
        )
        assert entry.body == {
            "name": "Maria",
            "email": "m@example.com",
            "address": {"zipcode": "01310100", "city": " São Paulo"},
        }

    def test_cells_have_the_types_of_their_columns(self) -> None:
        [entry] = entries_of(
            ImportKind.PRODUCTS,
            "SKU;Tipo;Preço;Garantia (dias);Usa os padrões da empresa",
            "a;Serviço;1,5;7;Não",
        )
        assert entry.body == {
            "sku": "a",
            "type": "service",
            "price": Decimal("1.5"),
            "guarantee": 7,
            "fiscalFollowsCompanyDefaults": False,
        }

    def test_unreadable_cell_stays_in_the_body_as_text(self) -> None:
        [entry] = entries_of(ImportKind.PRODUCTS, "SKU;Preço", "a;1.500")
        assert entry.body["price"] == "1.500"
        [problem] = entry.unreadable
        assert (problem.record.line, problem.path) == (2, "price")

    def test_cell_without_a_title_is_a_contradiction(self) -> None:
        first, second = entries_of(ImportKind.PRODUCTS, "SKU;Preço;", "a;1;", "b;2;3")
        assert first.contradictions == ()
        [problem] = problems_of_cells(COLUMNS[ImportKind.PRODUCTS], second)
        assert (problem.line, problem.field, list(problem.cells)) == (3, None, ["b", "2", "3"])

    def test_entries_after_some_records_are_the_rest(self) -> None:
        [entry] = entries_of(ImportKind.PRODUCTS, "SKU", "a", "", "b", after=1)
        assert (entry.body, entry.records[0].line) == ({"sku": "b"}, 4)


TITLES = "Número no seu sistema;Cliente;Meio de pagamento;SKU;Quantidade"


class TestSales:
    def test_neighbouring_lines_with_the_same_number_are_one_sale(self) -> None:
        first, second, third = entries_of(
            ImportKind.SALES, TITLES, "1;Maria;pix;a;2", "1;;pix;b;", "2;João;;a;1", "1;Maria;pix;c;1"
        )
        assert first.body == {
            "externalId": "1",
            "customer": {"name": "Maria"},
            "paymentMethod": "pix",
            "emitWhen": "manual",
            "products": [{"sku": "a", "quantity": Decimal(2)}, {"sku": "b"}],
        }
        assert [record.line for record in first.records] == [2, 3]
        assert (second.body["externalId"], third.body["externalId"]) == ("2", "1")

    def test_lines_without_a_number_are_sales_of_their_own(self) -> None:
        assert len(entries_of(ImportKind.SALES, TITLES, ";Maria;;a;1", ";Maria;;a;1")) == 2
        assert len(entries_of(ImportKind.SALES, "SKU", "a", "a")) == 2

    def test_value_of_the_sale_may_begin_in_a_later_line(self) -> None:
        [entry] = entries_of(ImportKind.SALES, TITLES, "1;;;a;2", "1;Maria;;b;1")
        assert entry.body["customer"] == {"name": "Maria"}

    def test_different_values_of_one_sale_are_a_contradiction_of_the_later_line(self) -> None:
        [entry] = entries_of(ImportKind.SALES, TITLES, "1;Maria;pix;a;2", "1;João;pix;b;um")
        assert summaries(problems_of_cells(COLUMNS[ImportKind.SALES], entry)) == [
            (3, "Cliente", "Na linha 2, que é da mesma venda, está outro valor."),
            (3, "Quantidade", "Não é um número: escreva como em 1.234,56."),
        ]


class TestProblems:
    def test_invalid_fields_have_the_titles_of_their_columns(self) -> None:
        [entry] = entries_of(ImportKind.CUSTOMERS, "Nome;E-mail;CEP", "Jo;m@example.com;1")
        fields = [
            {"field": "name", "error": "Curto."},
            {"field": "address.zipcode", "error": "CEP inválido."},
            {"field": "address", "error": "Incompleto."},
        ]
        assert refused(ImportKind.CUSTOMERS, entry, Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)) == [
            (2, "Nome", "Curto."),
            (2, "CEP", "CEP inválido."),
            (2, "Endereço", "Incompleto."),
        ]

    def test_unreadable_cell_has_its_own_message(self) -> None:
        [entry] = entries_of(ImportKind.PRODUCTS, "SKU;Preço", "a;dez")
        fields = [{"field": "price", "error": "Deve ser um número."}, {"field": "name", "error": "Falta."}]
        assert refused(ImportKind.PRODUCTS, entry, Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)) == [
            (2, "Preço", "Não é um número: escreva como em 1.234,56."),
            (2, "Nome", "Falta."),
        ]

    def test_problem_of_a_line_of_a_sale_has_the_line_of_the_file(self) -> None:
        [entry] = entries_of(ImportKind.SALES, TITLES, "1;Maria;pix;a;2", "1;;;b;1")
        fields = [
            {"field": "products[1].sku", "error": "Não há."},
            {"field": "customer.address.zipcode", "error": "Falta."},
            {"field": "products[0].ncm", "error": "Falta."},
        ]
        assert refused(ImportKind.SALES, entry, Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)) == [
            (2, "CEP do cliente", "Falta."),
            (2, "NCM do item", "Falta."),
            (3, "SKU", "Não há."),
        ]

    def test_broken_rules_have_their_hints(self) -> None:
        [entry] = entries_of(ImportKind.SALES, "SKU", "a")
        rules = [
            {"code": "778", "field": "products[0].ncm", "message": "NCM inexistente.", "hint": "Confira-o."},
            {"code": "1", "field": "customer", "message": "Sem cliente.", "hint": None},
        ]
        assert refused(ImportKind.SALES, entry, Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=rules)) == [
            (2, "NCM do item", "NCM inexistente. Confira-o."),
            (2, "Cliente", "Sem cliente."),
        ]

    def test_names_of_the_json_in_a_message_become_titles(self) -> None:
        [entry] = entries_of(ImportKind.PRODUCTS, "SKU", "a")
        error = "Obrigatório quando fiscalFollowsCompanyDefaults é false, no campo outroNome."
        refusal = Refusal(ErrorCode.VALIDATION_ERROR, fields=[{"field": "ncm", "error": error}])
        assert refused(ImportKind.PRODUCTS, entry, refusal) == [
            (2, "NCM", "Obrigatório quando “Usa os padrões da empresa” é false, no campo outroNome.")
        ]

    def test_any_other_refusal_is_a_problem_of_the_line(self) -> None:
        [entry] = entries_of(ImportKind.SALES, "SKU", "a")
        assert refused(ImportKind.SALES, entry, Refusal(ErrorCode.CERTIFICATE_EXPIRED)) == [
            (2, None, ErrorCode.CERTIFICATE_EXPIRED.message)
        ]

    def test_repeated_problem_is_named_once(self) -> None:
        [entry] = entries_of(ImportKind.SALES, "SKU", "a")
        fields = [{"field": "customer", "error": "Falta."}] * 2
        assert len(refused(ImportKind.SALES, entry, Refusal(ErrorCode.VALIDATION_ERROR, fields=fields))) == 1
