"""The columns of the files of customers, products and sales, and a template of each file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property

from carimbo.service.exports.csv_lines import BYTE_ORDER_MARK, Cell, csv_lines
from carimbo.service.imports.cells import (
    CellReader,
    choice,
    code,
    day,
    flag,
    number,
    tax_id,
    text,
    whole_number,
)
from carimbo.service.sales.body import EmitWhen
from carimbo.service.words import ITEM_TYPES
from carimbo.storage.imports import ImportKind

REFUSED_LINE, REFUSAL_REASON = "Linha", "Motivo da recusa"
"""The titles that the file of refused lines adds; an import ignores them."""
PRODUCT_LINES = "products"
"""The JSON name of the lines of a sale."""
_EMIT_WHEN: Mapping[str, str] = {
    EmitWhen.IMMEDIATELY: "Na hora da venda",
    EmitWhen.AFTER_GUARANTEE: "Depois da garantia",
    EmitWhen.MANUAL: "Manual",
}


@dataclass(frozen=True)
class ImportColumn:
    """A column of a file to import."""

    title: str
    """In Portuguese."""
    path: str
    """The path of its field in the JSON body; `products.sku` is a field of each line of a sale."""
    read: CellReader = text
    example: Cell = None
    is_required: bool = False
    is_in_template: bool = True


@dataclass(frozen=True)
class ImportColumns:
    """The columns of a kind of file."""

    kind: ImportKind
    columns: tuple[ImportColumn, ...]
    exported_only: tuple[str, ...] = ()
    """Titles of the exported list that an import ignores."""
    other_titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of fields without a column, by their paths; refusals may name these fields too."""

    @property
    def required(self) -> tuple[ImportColumn, ...]:
        return tuple(column for column in self.columns if column.is_required)

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """The titles of fields by their paths."""
        return {**self.other_titles, **{column.path: column.title for column in self.columns}}

    @cached_property
    def titles_by_name(self) -> Mapping[str, str]:
        """The titles of fields by their names in the JSON; those of columns count more."""
        return {path.rpartition(".")[2]: title for path, title in self.titles.items()}


CUSTOMER_COLUMNS = ImportColumns(
    ImportKind.CUSTOMERS,
    (
        ImportColumn("Nome", "name", example="Maria da Silva", is_required=True),
        ImportColumn("Nome fantasia", "tradeName"),
        ImportColumn("CPF/CNPJ", "document", tax_id, "529.982.247-25"),
        ImportColumn("Identificação no exterior", "foreignId"),
        ImportColumn("E-mail", "email", example="maria@example.com", is_required=True),
        ImportColumn("Telefone", "phone", example="(11) 98888-7777"),
        ImportColumn("Inscrição estadual", "stateRegistration"),
        ImportColumn("Inscrição municipal", "municipalRegistration"),
        ImportColumn("CEP", "address.zipcode", code(8), "01310-100"),
        ImportColumn("Logradouro", "address.street", example="Avenida Paulista"),
        ImportColumn("Número", "address.number", example="1000"),
        ImportColumn("Complemento", "address.complement", example="Sala 12"),
        ImportColumn("Bairro", "address.district", example="Bela Vista"),
        ImportColumn("Cidade", "address.city", example="São Paulo"),
        ImportColumn("UF", "address.state", example="SP"),
        ImportColumn("País", "address.countryCode"),
        ImportColumn("Região no exterior", "address.region"),
        ImportColumn("Código postal no exterior", "address.postalCode"),
        ImportColumn("Id", "id", is_in_template=False),
    ),
    exported_only=("Criado em",),
    other_titles={"address": "Endereço", "address.cityCode": "Cidade"},
)
PRODUCT_COLUMNS = ImportColumns(
    ImportKind.PRODUCTS,
    (
        ImportColumn("SKU", "sku", example="caneca-300", is_required=True),
        ImportColumn("Nome", "name", example="Caneca de porcelana"),
        ImportColumn("Tipo", "type", choice(ITEM_TYPES), "Produto"),
        ImportColumn("Categoria", "category", example="Canecas"),
        ImportColumn("Preço", "price", number, Decimal("35.90")),
        ImportColumn("Garantia (dias)", "guarantee", whole_number, 7),
        ImportColumn("NCM", "ncm", code(8), "69120000"),
        ImportColumn("CEST", "cest", code(7)),
        ImportColumn("CFOP", "cfop", example="5102"),
        ImportColumn("GTIN", "gtin"),
        ImportColumn("Unidade", "unit", example="UN"),
        ImportColumn("Origem", "origin", example="0"),
        ImportColumn("Código de benefício fiscal", "benefitCode"),
        ImportColumn("Código de serviço", "serviceItemCode", code(6)),
        ImportColumn("Código municipal do serviço", "cityServiceCode"),
        ImportColumn("NBS", "nbs"),
        ImportColumn("Usa os padrões da empresa", "fiscalFollowsCompanyDefaults", flag, example=True),
    ),
    exported_only=("Criado em", "Id"),
    other_titles={"components": "Componentes", "iss": "ISS"},
)
SALE_COLUMNS = ImportColumns(
    ImportKind.SALES,
    (
        ImportColumn("Número no seu sistema", "externalId", example="pedido-1001"),
        ImportColumn("Data", "saleDate", day, date(2026, 11, 14)),
        ImportColumn("CPF/CNPJ do cliente", "customer.document", tax_id, "529.982.247-25"),
        ImportColumn("Cliente", "customer.name", example="Maria da Silva"),
        ImportColumn("E-mail do cliente", "customer.email", example="maria@example.com"),
        ImportColumn("SKU", f"{PRODUCT_LINES}.sku", example="caneca-300", is_required=True),
        ImportColumn("Quantidade", f"{PRODUCT_LINES}.quantity", number, Decimal(2)),
        ImportColumn("Preço", f"{PRODUCT_LINES}.price", number, Decimal("35.90")),
        ImportColumn("Meio de pagamento", "paymentMethod", example="pix"),
        ImportColumn("Quando emitir", "emitWhen", choice(_EMIT_WHEN), _EMIT_WHEN[EmitWhen.MANUAL]),
    ),
    other_titles={
        "customer": "Cliente",
        PRODUCT_LINES: "SKU",
        **{
            f"customer.{path}": f"{title} do cliente"
            for path, title in (
                *CUSTOMER_COLUMNS.other_titles.items(),
                *((column.path, column.title) for column in CUSTOMER_COLUMNS.columns),
            )
        },
        **{f"{PRODUCT_LINES}.{column.path}": f"{column.title} do item" for column in PRODUCT_COLUMNS.columns},
    },
)
COLUMNS: Mapping[str, ImportColumns] = {
    columns.kind: columns for columns in (CUSTOMER_COLUMNS, PRODUCT_COLUMNS, SALE_COLUMNS)
}


def template_of(kind: ImportKind) -> bytes:
    """Returns a CSV file with the titles of all columns and an example of a line."""
    columns = [column for column in COLUMNS[kind].columns if column.is_in_template]
    rows: list[list[Cell]] = [[column.title for column in columns], [column.example for column in columns]]
    return BYTE_ORDER_MARK + csv_lines(rows, None)
