"""Parts of catalog sales, for tests of the documents that they need."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from hypothesis import strategies as some

from carimbo.fiscal.catalog.sale import SaleDocumentBody, SalePart, ServiceNoteFacts, SoldLine
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.money import cents
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal.documents.nfse_support import NEW_YORK
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, RIO_DE_JANEIRO, SAO_PAULO, company

HERE = SAO_PAULO | {"zipcode": "01001000", "cityCode": "3550308"}
"""As stored after validation."""
IN_RIO = RIO_DE_JANEIRO | {"zipcode": "20040020", "cityCode": "3304557"}
PERSON = CustomerFacts(name="Maria da Silva", document=CPF, email="maria@example.com", address=HERE)
FIRM = CustomerFacts(
    name="Mercado Modelo S.A.",
    document="66677788000183",
    address=HERE,
    state_registration="110042490114",
    municipal_registration="12345",
    trade_name="Mercado",
)
LETTERED = CustomerFacts(name="Oficina Modelo", document=BUYER_CNPJ, phone="1133334444", address=HERE)
"""A company whose CNPJ has letters."""
FAR = CustomerFacts(name="Ana Souza", document=CPF, address=IN_RIO)
ABROAD = CustomerFacts(name="Model Stores Inc.", foreign_id="EIN123456789", address=NEW_YORK, is_foreign=True)
TOURIST = CustomerFacts(name="John Doe", foreign_id="P1234567")
STRANGER = CustomerFacts(name="Maria")

SHOP = company()
MUG: dict[str, Any] = {"ncm": "69120000"}


def sold(price: Any = 35.9, **changes: Any) -> SoldLine:
    """Returns a line, of one unit by default."""
    unit, quantity = Decimal(str(price)), Decimal(str(changes.pop("quantity", 1)))
    usual: dict[str, Any] = {
        "position": 0,
        "sku": "CANECA",
        "name": "Caneca",
        "category": "kitchen",
        "quantity": quantity,
        "price": unit,
        "total": cents(unit * quantity),
        "discount": Decimal(0),
        "shipping": Decimal(0),
        "fiscal": MUG,
    }
    return SoldLine(**usual | changes)


def part_of(
    *lines: SoldLine,
    to: CustomerFacts = PERSON,
    by: Company = SHOP,
    paid: str = "credit_card",
    **note: Any,
) -> SalePart:
    """Returns the part of a sale that one document is about."""
    return SalePart(
        seller=by,
        customer=to,
        lines=lines,
        payment_method=paid,
        external_id=None,
        note=ServiceNoteFacts(**note),
    )


def body_of(document_type: DocumentType, part: SalePart, settings: Any = None) -> SaleDocumentBody:
    """Returns the body of the document that a part of a sale needs, with default settings unless given."""
    assert document_type.catalog_sale
    return document_type.catalog_sale.body(part, settings or document_type.settings())


def due(part: SalePart) -> Decimal:
    """Returns the amount that the customer pays."""
    return sum((line.total - line.discount + line.shipping for line in part.lines), Decimal(0))


def money(least: str, most: str) -> some.SearchStrategy[Decimal]:
    """Draws amounts in whole cents."""
    return some.decimals(least, most, places=2)


@some.composite
def lines(draw: some.DrawFn, fiscal: Mapping[str, Any]) -> tuple[SoldLine, ...]:
    """Draws a few lines, each with its part of discount and shipping, and a positive amount left."""
    return tuple(
        sold(
            draw(some.decimals("0.5", "900", places=10)),
            quantity=draw(some.decimals("0.1", "90", places=4)),
            position=position,
            name=draw(some.sampled_from(["Caneca", "Copo {x} & taça", "Ç" * 64])),
            discount=draw(money("0", "0.03")),
            shipping=draw(money("0", "50")),
            guarantee=draw(some.sampled_from([None, 1, 365])),
            fiscal=fiscal,
        )
        for position in draw(some.lists(some.integers(0, 9), min_size=1, max_size=4))
    )


SALE_FIELDS = {
    "customer": {"name", "email", "document", "foreignId", "phone", "foreign", "address"}
    | {"municipalRegistration", "stateRegistration", "tradeName"},
    "nfse": {"discrimination", "competenceDate", "serviceLocation", "cityIbge", "property"},
}
ALONE = {"products", "paymentMethod", "discount", "shipping", "productInvoiceType", "nfse", "customer"}
OF_LINES = {"sku", "name", "price", "quantity", "category", "guarantee"}


def paths_outside_the_sale(body: SaleDocumentBody, fiscal_names: set[str]) -> set[str]:
    """Returns the paths in the sale of fields of the body, where a sale has no such field."""
    return {
        path
        for path in map(body.path_in_sale, leaves(body.json))
        if not _is_of_sale(path.split("."), OF_LINES | fiscal_names)
    }


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yields the path of every field of a body that has no fields of its own."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{at}]")
    else:
        yield path


def _is_of_sale(path: list[str], of_lines: set[str]) -> bool:
    if len(path) == 1:
        return path[0] in ALONE
    names = of_lines if path[0].startswith("products[") else SALE_FIELDS.get(path[0], set())
    return path[1] in names
