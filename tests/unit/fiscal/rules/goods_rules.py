"""All rules of NF-e and NFC-e."""

from itertools import chain
from typing import Any

from carimbo.fiscal.goods.rules.judging import DOCUMENT_BOOKS, ITEM_BOOKS
from carimbo.fiscal.rules import Rule

GOODS_RULES: tuple[Rule[Any], ...] = tuple(chain(*DOCUMENT_BOOKS, *ITEM_BOOKS))
