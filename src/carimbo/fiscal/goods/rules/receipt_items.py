"""Rules of the items of receipts (NFC-e): CFOP and ICMS."""

from typing import Any

from carimbo.fiscal.goods.rules.common import situation_of
from carimbo.fiscal.goods.rules.rule import NFCE, GoodsRuleBook, ItemCheck, RuleInput
from carimbo.fiscal.layouts.nfe_v4.icms import (
    Icms00,
    Icms02,
    Icms10,
    Icms15,
    Icms20,
    Icms30,
    Icms40,
    Icms51,
    Icms53,
    Icms60,
    Icms70,
    Icms90,
    IcmsPart,
    IcmsSt,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.rules import At

RULES: GoodsRuleBook[ItemCheck] = GoodsRuleBook()

# Without 5933 (services), which only items with ISSQN have (MOC 7.0, I08-160).
_CFOPS = frozenset({"5101", "5102", "5103", "5104", "5115", "5405", "5656", "5667", "5910"})
# States that may accept other outbound goods, and the CST or CSOSN for them (I08-150).
_OTHER_OUTBOUND = "5949"
_OTHER_OUTBOUND_OF = {"RS": frozenset({"90", "900"}), "SP": frozenset({"40", "900"})}
_TAXED_NOW = frozenset({"5101", "5102", "5103", "5104", "5115", "5910"})
_TAXED_EARLIER = frozenset({"5405", "5656", "5667", "5910"})
_BY_SITUATION = {
    **dict.fromkeys(("00", "20", "40", "41", "102", "103", "300", "400"), _TAXED_NOW),
    **dict.fromkeys(("60", "500"), _TAXED_EARLIER),
}
# Ceará accepts CST 90 and CSOSN 900 with the CFOP of retained ICMS.
_OTHERS, _STATE_OF_OTHERS = frozenset({"90", "900"}), "CE"
_NOT_TAXED = frozenset({"40", "41"})


@RULES.rule(
    "725", "NT 2026.002, I08-150", "O CFOP não é de operação que a NFC-e possa documentar.", models=(NFCE,)
)
def cfop_of_a_receipt(item: Item, document: RuleInput) -> At | None:
    """Refuses other CFOP than sales within the state and gifts."""
    if item.product.cfop in _CFOPS:
        return None
    situations = _OTHER_OUTBOUND_OF.get(document.seller_state, frozenset())
    if item.product.cfop == _OTHER_OUTBOUND and situation_of(item.taxes.icms) in situations:
        return None
    return At("cfop", f"Esperado: {', '.join(sorted(_CFOPS))}.")


# Each state decides whether it accepts CST 90 and CSOSN 900.
@RULES.rule(
    "766",
    "NT 2026.002, N12-30",
    "Este CST não serve à NFC-e, que é sempre a consumidor.",
    models=(NFCE,),
    on=(Icms02, Icms10, Icms15, Icms30, Icms40, Icms51, Icms53, Icms70),
)
def cst_of_a_receipt(item: Item, document: RuleInput) -> At | None:
    """Refuses deferral, substitution and suspension, which a sale to a consumer can't have."""
    icms: Any = item.taxes.icms
    return None if icms.cst in _NOT_TAXED else At("icms.cst", "Aceitos: 00, 20, 40, 41, 60 e 61.")


@RULES.rule(
    "383",
    "NT 2026.002, N12a-20",
    "Este CSOSN não serve à NFC-e, que é sempre a consumidor.",
    models=(NFCE,),
    on=(IcmsSn101, IcmsSn201, IcmsSn202),
)
def csosn_of_a_receipt(item: Item, document: RuleInput) -> At | None:
    """Refuses credit and substitution, which a consumer can't use."""
    return At("icms.csosn")


@RULES.rule(
    "381",
    "NT 2026.002, N12-34",
    "O CST 90 de uma NFC-e não tem substituição tributária.",
    models=(NFCE,),
    on=(Icms90,),
)
def others_without_substitution(item: Item, document: RuleInput) -> At | None:
    """Refuses substitution in CST 90: the sale to a consumer is the last one."""
    icms: Any = item.taxes.icms
    return None if icms.st_base_mode is None else At("icms.stBaseMode")


@RULES.rule(
    "385",
    "NT 2026.002, N12a-34",
    "O CSOSN 900 de uma NFC-e não tem substituição tributária.",
    models=(NFCE,),
    on=(IcmsSn900,),
)
def simples_others_without_substitution(item: Item, document: RuleInput) -> At | None:
    """Refuses substitution in CSOSN 900."""
    return others_without_substitution(item, document)


@RULES.rule(
    "741",
    "NT 2026.002, N12-50",
    "A NFC-e não leva partilha de ICMS entre estados.",
    models=(NFCE,),
    on=(IcmsPart,),
)
def tax_is_not_shared_between_states(item: Item, document: RuleInput) -> At | None:
    """Refuses ICMS that is shared between states."""
    return At("icms.operationBaseShare")


@RULES.rule(
    "740",
    "NT 2026.002, N12-60",
    "A NFC-e não leva repasse de ICMS retido por substituição tributária.",
    models=(NFCE,),
    on=(IcmsSt,),
)
def tax_is_not_passed_on(item: Item, document: RuleInput) -> At | None:
    """Refuses ICMS that was retained for another state."""
    return At("icms.stDestinationBase")


@RULES.rule(
    "382",
    "NT 2026.002, N12-40 e N12-44",
    "O CFOP não combina com o CST do ICMS em uma NFC-e.",
    models=(NFCE,),
    on=(Icms00, Icms20, Icms40, Icms60, Icms90),
)
def cfop_of_the_cst(item: Item, document: RuleInput) -> At | None:
    """Refuses a CFOP that does not fit the CST: goods with retained ICMS have their own codes."""
    return _cfop_mismatch(item, document, getattr(item.taxes.icms, "cst", ""))


@RULES.rule(
    "386",
    "NT 2026.002, N12a-40 e N12a-44",
    "O CFOP não combina com o CSOSN em uma NFC-e.",
    models=(NFCE,),
    on=(IcmsSn102, IcmsSn500, IcmsSn900),
)
def cfop_of_the_csosn(item: Item, document: RuleInput) -> At | None:
    """Refuses a CFOP that does not fit the CSOSN."""
    return _cfop_mismatch(item, document, getattr(item.taxes.icms, "csosn", ""))


def _cfop_mismatch(item: Item, document: RuleInput, situation: str) -> At | None:
    cfop = item.product.cfop
    if cfop not in _CFOPS:
        return None
    allowed = _BY_SITUATION.get(situation)
    if situation in _OTHERS:
        allowed = _TAXED_NOW if document.seller_state != _STATE_OF_OTHERS else None
    return At("cfop") if allowed is not None and cfop not in allowed else None
