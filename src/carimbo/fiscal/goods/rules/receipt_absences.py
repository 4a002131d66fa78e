"""Groups of the layout that receipts (NFC-e) have no place for."""

from operator import attrgetter

from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, DocumentCheck, GoodsRuleBook, ItemCheck
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

_OF_ITEMS = (
    ("736", "J01-10", "dados de veículo novo", "vehicle", "product.vehicle"),
    ("738", "L01-10", "dados de armas", "firearms", "product.firearms"),
    ("348", "LB01-10", "número do RECOPI", "recopiNumber", "product.recopi_number"),
    ("807", "NA01-10", "ICMS da UF de destino", "stateShare", "taxes.state_share"),
    ("742", "O01-10", "IPI", "ipi", "taxes.ipi"),
    ("743", "P01-10", "imposto de importação", "importTax", "taxes.import_tax"),
    ("746", "R01-10", "PIS por substituição tributária", "pisSt", "taxes.pis_st"),
    ("749", "T01-10", "COFINS por substituição tributária", "cofinsSt", "taxes.cofins_st"),
    ("390", "UA01-20", "IPI devolvido", "returnedIpi", "returned_ipi"),
)
_OF_TRANSPORT = (
    ("755", "X11-10", "ICMS retido do transporte", "freight.retainedIcms", "transport.retained_icms"),
    ("756", "X18-10", "veículo de transporte", "freight.vehicle", "transport.vehicle"),
    ("757", "X22-10", "reboque", "freight.trailers", "transport.trailers"),
    ("758", "X25a-10", "vagão", "freight.wagon", "transport.wagon"),
    ("759", "X25b-10", "balsa", "freight.ferry", "transport.ferry"),
)


def _tells_more(case: Case) -> bool:
    """Whether a receipt has any of this, which most lack: so its items are looked at but once."""
    return case.model == NFCE and any(map(_has_more, case.invoice.items))


def _has_more(item: Item) -> bool:
    product, taxes = item.product, item.taxes
    return bool(
        product.counts_in_total != COUNTS
        or product.vehicle
        or product.firearms
        or product.recopi_number
        or taxes.state_share
        or taxes.ipi
        or taxes.import_tax
        or taxes.pis_st
        or taxes.cofins_st
        or item.returned_ipi
    )


def _is_carried(case: Case) -> bool:
    way = case.invoice.transport
    return bool(way.retained_icms or way.vehicle or way.trailers or way.wagon or way.ferry)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_is_carried)
ITEM_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_tells_more)


def _absent_in_items(code: str, source: str, what: str, path: str, attribute: str) -> None:
    told = attrgetter(attribute)

    @ITEM_RULES.rule(code, f"NT 2026.002, {source}", f"A NFC-e não leva {what}.", models=(NFCE,))
    def check(item: Item, case: Case) -> At | None:
        return At(path) if told(item) else None


def _absent(code: str, source: str, what: str, path: str, attribute: str) -> None:
    told = attrgetter(attribute)

    @RULES.rule(code, f"NT 2026.002, {source}", f"A NFC-e não leva {what}.", models=(NFCE,))
    def check(case: Case) -> At | None:
        return At(path) if told(case.invoice) else None


for _row in _OF_ITEMS:
    _absent_in_items(*_row)
for _row in _OF_TRANSPORT:
    _absent(*_row)


@ITEM_RULES.rule(
    "774", "NT 2026.002, I17b-10", "Todo item de uma NFC-e entra no total da nota.", models=(NFCE,)
)
def every_item_counts(item: Item, case: Case) -> At | None:
    """What the buyer takes along is paid."""
    return None if item.product.counts_in_total == COUNTS else At("countsInTotal")
