"""Rules of receipts (NFC-e): required values, and groups that they must not have."""

from decimal import Decimal
from operator import attrgetter

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.goods.rules.rule import (
    NFCE,
    NON_CONTRIBUTOR,
    NORMAL,
    DocumentCheck,
    GoodsRuleBook,
    ItemCheck,
    RuleInput,
)
from carimbo.fiscal.layouts.filling import HOMOLOGATION_ITEM
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
EXTERNAL_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)


_PRINTED_AS_RECEIPTS = frozenset({"4", "5"})
_PRESENCES = frozenset({Presence.IN_PERSON.code, Presence.DELIVERY.code, Presence.OUTSIDE.code})
# States may set other limits, but none above this one is known (NT 2026.002, W16-40).
_MAX_ANONYMOUS_AMOUNT = Decimal("10000.00")


@EXTERNAL_RULES.rule(
    "373",
    "MOC 7.0, I04-10",
    "Em homologação, a descrição do primeiro item é sempre o texto fixo que diz que a nota não tem valor.",
    models=(NFCE,),
)
def fixed_description_in_homologation(document: RuleInput) -> At | None:
    """Refuses another description of the first item in homologation."""
    if document.environment is not Environment.HOMOLOGATION:
        return None
    if document.invoice.items[0].product.description != HOMOLOGATION_ITEM:
        return At("items[0].description", f"Esperado: {HOMOLOGATION_ITEM}.")
    return None


@EXTERNAL_RULES.rule(
    "709", "MOC 7.0, B21-10", "O formato de impressão não é o de uma NFC-e (tpImp 4 ou 5).", models=(NFCE,)
)
def printed_as_a_receipt(document: RuleInput) -> At | None:
    """Refuses other print formats than receipt paper or message."""
    if document.invoice.identification.print_format not in _PRINTED_AS_RECEIPTS:
        return At("printFormat")
    return None


@EXTERNAL_RULES.rule(
    "715",
    "NT 2026.002, B25-20",
    "A NFC-e é sempre de finalidade normal: complementos, ajustes e devoluções são feitos por NF-e.",
    models=(NFCE,),
)
def normal_purpose(document: RuleInput) -> At | None:
    """Refuses other purposes than the normal one."""
    if document.purpose != NORMAL:
        return At("purpose")
    return None


@EXTERNAL_RULES.rule("716", "NT 2026.002, B25a-10", "A NFC-e é sempre a consumidor final.", models=(NFCE,))
def sold_to_a_final_consumer(document: RuleInput) -> At | None:
    """Refuses buyers that are not final consumers."""
    if not document.is_final:
        return At("finalConsumer")
    return None


@RULES.rule(
    "717",
    "NT 2026.002, B25b-20",
    "A NFC-e é de venda presencial, com entrega em domicílio ou fora do estabelecimento.",
    models=(NFCE,),
)
def sold_in_presence(document: RuleInput) -> At | None:
    """Refuses distance sales, which need an NF-e."""
    if document.presence not in _PRESENCES:
        return At("presence", "Esperado: inPerson, delivery ou outside.")
    return None


@RULES.rule(
    "1005",
    "NT 2025.002, B12a-20",
    "A venda fora do estabelecimento precisa do município onde incidem o IBS e a CBS.",
    models=(NFCE,),
)
def sale_outside_has_a_city(document: RuleInput) -> At | None:
    """Refuses sales outside the shop without the city where IBS and CBS are due."""
    if (
        document.presence == Presence.OUTSIDE.code
        and not document.invoice.identification.ibs_taxable_city_code
    ):
        return At("ibsTaxableCityCode")
    return None


@RULES.rule(
    "1000",
    "NT 2025.002, B12a-10",
    "O município do IBS e da CBS só se informa na venda fora do estabelecimento.",
    models=(NFCE,),
)
def only_sale_outside_has_a_city(document: RuleInput) -> At | None:
    """Refuses a city of IBS and CBS in sales at the shop, where it is the city of the issuer."""
    if document.presence != Presence.OUTSIDE.code and document.invoice.identification.ibs_taxable_city_code:
        return At("ibsTaxableCityCode")
    return None


@RULES.rule("753", "NT 2026.002, X02-10", "A NFC-e só tem frete na entrega em domicílio.", models=(NFCE,))
def freight_of_a_delivery(document: RuleInput) -> At | None:
    """Refuses freight without home delivery."""
    if not _is_delivery(document) and document.invoice.transport.freight_mode != FreightMode.NONE.code:
        return At("freight.mode")
    return None


@RULES.rule("754", "MOC 7.0, X03-10", "A NFC-e só tem transportador na entrega em domicílio.", models=(NFCE,))
def carrier_of_a_delivery(document: RuleInput) -> At | None:
    """Refuses a carrier without home delivery."""
    if not _is_delivery(document) and document.invoice.transport.carrier is not None:
        return At("freight.carrier")
    return None


@RULES.rule(
    "787", "NT 2026.002, E01-20", "A NFC-e com entrega em domicílio precisa de destinatário.", models=(NFCE,)
)
def delivery_has_a_recipient(document: RuleInput) -> At | None:
    """Refuses home delivery without a recipient."""
    if _is_delivery(document) and document.recipient is None:
        return At("recipient")
    return None


@RULES.rule(
    "788",
    "MOC 7.0, E05-20",
    "A NFC-e com entrega em domicílio precisa do endereço do destinatário.",
    models=(NFCE,),
)
def delivery_has_an_address(document: RuleInput) -> At | None:
    """Refuses home delivery without an address."""
    if _is_delivery(document) and document.recipient and document.recipient.address is None:
        return At("recipient.address")
    return None


def _is_delivery(document: RuleInput) -> bool:
    return document.presence == Presence.DELIVERY.code


@RULES.rule(
    "789",
    "MOC 7.0, E16a-10",
    "O destinatário de uma NFC-e é sempre não contribuinte do ICMS.",
    models=(NFCE,),
)
def sold_to_a_non_contributor(document: RuleInput) -> At | None:
    """Refuses contributors, who need an NF-e for their credit."""
    if document.contribution not in (None, NON_CONTRIBUTOR):
        return At("recipient.stateRegistration")
    return None


@RULES.rule("729", "MOC 7.0, E17-10", "A NFC-e não leva a inscrição estadual do comprador.", models=(NFCE,))
def buyer_without_registration(document: RuleInput) -> At | None:
    """Refuses the registration of a non-contributor; rule 789 reports contributors."""
    if (
        document.recipient
        and document.recipient.state_registration
        and document.contribution == NON_CONTRIBUTOR
    ):
        return At("recipient.stateRegistration")
    return None


@RULES.rule("730", "MOC 7.0, E18-10", "A NFC-e não leva a inscrição do comprador na SUFRAMA.", models=(NFCE,))
def buyer_outside_the_free_zone(document: RuleInput) -> At | None:
    """Refuses a SUFRAMA registration: benefits of the Zona Franca need an NF-e."""
    if document.recipient and document.recipient.suframa_registration:
        return At("recipient.suframaRegistration")
    return None


@RULES.rule(
    "220", "MOC 7.0, E02-20", "O comprador de uma NFC-e não pode ser a própria empresa.", models=(NFCE,)
)
def sold_to_someone_else(document: RuleInput) -> At | None:
    """Refuses the company itself as the buyer."""
    if (
        document.recipient
        and document.recipient.cnpj
        and document.recipient.cnpj == document.invoice.issuer.cnpj
    ):
        return At("recipient.taxId")
    return None


@RULES.rule(
    "750",
    "NT 2026.002, W16-40",
    "A NFC-e acima de R$ 10.000,00 precisa do CPF, CNPJ ou documento estrangeiro do comprador.",
    models=(NFCE,),
)
def buyer_is_identified_above_the_limit(document: RuleInput) -> At | None:
    """Refuses a buyer without identification above the limit."""
    if document.invoice.totals.invoice.amount <= _MAX_ANONYMOUS_AMOUNT:
        return None
    buyer = document.recipient
    has_id = buyer is not None and (buyer.cnpj, buyer.cpf, buyer.foreign_id) != (None, None, None)
    return None if has_id else At("recipient")


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


def _has_forbidden_item_groups(document: RuleInput) -> bool:
    """Returns whether any item has such a group; most receipts have none, so this saves time."""
    return document.model == NFCE and any(map(_has_forbidden_groups, document.invoice.items))


def _has_forbidden_groups(item: Item) -> bool:
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


def _has_transport_groups(document: RuleInput) -> bool:
    transport = document.invoice.transport
    return bool(
        transport.retained_icms
        or transport.vehicle
        or transport.trailers
        or transport.wagon
        or transport.ferry
    )


FORBIDDEN_TRANSPORT_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_transport_groups)
FORBIDDEN_ITEM_GROUP_RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook(when=_has_forbidden_item_groups)


def _forbid_in_items(code: str, source: str, label: str, path: str, attribute: str) -> None:
    value_of = attrgetter(attribute)

    @FORBIDDEN_ITEM_GROUP_RULES.rule(
        code, f"NT 2026.002, {source}", f"A NFC-e não leva {label}.", models=(NFCE,)
    )
    def check(item: Item, document: RuleInput) -> At | None:
        return At(path) if value_of(item) else None


def _forbid(code: str, source: str, label: str, path: str, attribute: str) -> None:
    value_of = attrgetter(attribute)

    @FORBIDDEN_TRANSPORT_RULES.rule(
        code, f"NT 2026.002, {source}", f"A NFC-e não leva {label}.", models=(NFCE,)
    )
    def check(document: RuleInput) -> At | None:
        return At(path) if value_of(document.invoice) else None


for _row in _OF_ITEMS:
    _forbid_in_items(*_row)
for _row in _OF_TRANSPORT:
    _forbid(*_row)


@FORBIDDEN_ITEM_GROUP_RULES.rule(
    "774", "NT 2026.002, I17b-10", "Todo item de uma NFC-e entra no total da nota.", models=(NFCE,)
)
def every_item_counts(item: Item, document: RuleInput) -> At | None:
    """Refuses items that do not count in the total."""
    return None if item.product.counts_in_total == COUNTS else At("countsInTotal")
