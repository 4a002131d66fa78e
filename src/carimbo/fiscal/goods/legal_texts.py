"""Texts that laws require in the notes of a document (`infCpl`).

These are the approximate taxes of a sale to a consumer (Lei 12.741/2012, Decreto 8.264/2014), and the legends
of the Simples Nacional (Resolução CGSN 140/2018, arts. 59 and 60).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.goods.applicable_taxes import item_value
from carimbo.fiscal.goods.cfop import is_sale
from carimbo.fiscal.goods.item_body import COUNTS, ItemBody
from carimbo.fiscal.layouts.canonical import MAX_TEXT_LENGTH
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn101, IcmsSn201, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO, format_amount, percent, split_amount, total, with_decimal_comma
from carimbo.fiscal.parties.company import ApproximateTaxRates, Company, TaxRegime
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.taxes.trade import Trade

_SEPARATOR = " | "
_ACCENTS_AND_SPACES = re.compile(r"[\u0300-\u036f\s]+")
# The only character that becomes longer when it is written.
_ELLIPSIS, _WRITTEN_ELLIPSIS = "…", "..."


class LegalText(NamedTuple):
    """A sentence, and the part of it that shows that the caller's notes contain it already."""

    sentence: str
    known_by: str
    """Compared without case, accents and spaces."""


def with_legal_texts(notes: str | None, texts: Sequence[LegalText], findings: Findings) -> str | None:
    """Returns the caller's notes followed by the sentences that they do not contain yet.

    The caller's text is never cut: a sentence that does not fit is left out with a warning.
    """
    own = notes or ""
    plain = _plain(own)
    missing = [text for text in texts if _plain(text.known_by) not in plain] if own else texts
    room = MAX_TEXT_LENGTH - len(own.replace(_ELLIPSIS, _WRITTEN_ELLIPSIS)) - len(_SEPARATOR)
    added: list[str] = []
    for text in missing:
        if len(text.sentence) <= room:
            added.append(text.sentence)
            room -= len(text.sentence) + len(" ")
        else:
            findings.add_warning(
                f"notes: Não coube em infCpl, de {MAX_TEXT_LENGTH} caracteres: {text.sentence}"
            )
    legal = " ".join(added)
    return _SEPARATOR.join(filter(None, (own, legal))) or None


def _plain(text: str) -> str:
    return _ACCENTS_AND_SPACES.sub("", unicodedata.normalize("NFD", text.casefold()))


_WITH_CREDIT = (IcmsSn101, IcmsSn201, IcmsSn900)


def _legend(text: str) -> LegalText:
    return LegalText(f"{text}.", known_by=text)


_NO_IPI_CREDIT = _legend("NÃO GERA DIREITO A CRÉDITO FISCAL DE IPI")
_BY_REGIME = {
    # Art. 59, § 4º.
    TaxRegime.SIMPLES: (
        _legend("DOCUMENTO EMITIDO POR ME OU EPP OPTANTE PELO SIMPLES NACIONAL"),
        _NO_IPI_CREDIT,
    ),
    # Art. 59, § 5º: above the sublimit the company charges ICMS; this replaces the first legend.
    TaxRegime.SIMPLES_EXCESS: (
        _legend(
            "ESTABELECIMENTO IMPEDIDO DE RECOLHER O ICMS/ISS PELO SIMPLES NACIONAL, NOS TERMOS DO § 1º DO"
            " ART. 20 DA LEI COMPLEMENTAR Nº 123, DE 2006"
        ),
        _NO_IPI_CREDIT,
    ),
}
_CREDIT = "PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS"


def simples_legends(company: Company, items: Sequence[Item]) -> Iterator[LegalText]:
    """Yields the legends of the company's regime; a MEI has none, because the law names only ME and EPP."""
    if not company.defaults.simples_legends:
        return
    yield from _BY_REGIME.get(company.tax_regime, ())
    if company.tax_regime is TaxRegime.SIMPLES:
        credits_by_rate: dict[Decimal, Decimal] = {}
        for item in items:
            icms = item.taxes.icms
            if isinstance(icms, _WITH_CREDIT) and icms.credit_rate and icms.credit_amount:
                credits_by_rate[icms.credit_rate] = (
                    credits_by_rate.get(icms.credit_rate, ZERO) + icms.credit_amount
                )
        if credits_by_rate:
            yield _credit_legend(credits_by_rate)


def _credit_legend(amounts: Mapping[Decimal, Decimal]) -> LegalText:
    """Returns the legend of art. 60; several rates are listed with the amount of each."""
    if len(amounts) == 1:
        rates = f"À ALÍQUOTA DE {_percent(next(iter(amounts)))}"
    else:
        parts = [f"{_percent(rate)} (R$ {format_amount(amount)})" for rate, amount in amounts.items()]
        rates = f"ÀS ALÍQUOTAS DE {', '.join(parts[:-1])} E {parts[-1]}"
    whole = format_amount(total(amounts.values()))
    sentence = (
        f"{_CREDIT} NO VALOR DE R$ {whole}; CORRESPONDENTE {rates}, NOS TERMOS DO ART. 23 DA LEI"
        " COMPLEMENTAR Nº 123, DE 2006."
    )
    return LegalText(sentence, known_by=_CREDIT)


def _percent(rate: Decimal) -> str:
    return with_decimal_comma(f"{rate.normalize():f}%")


_LAW = "12.741/2012"
_MISSING = (
    "A Lei 12.741/2012 pede o valor aproximado dos tributos na venda a consumidor: informe"
    " items[].approximateTaxes, ou configure defaults.approximateTaxRates na empresa."
)


def approximate_taxes(
    given: Decimal | None, product: ItemProduct, rates: ApproximateTaxRates | None
) -> Decimal | None:
    """Returns the given amount, else the amount by the company's rates on the price of the item."""
    if given is not None or rates is None or not _is_sold(product):
        return given
    return percent(item_value(product), rates.whole)


def warn_of_missing_taxes(items: Sequence[Item], trade: Trade, findings: Findings) -> None:
    """Warns once if an item sold to a consumer shows no taxes; the MEI is exempt (Decreto 8.264/2014)."""
    if not trade.is_shown_to_a_consumer or trade.company.tax_regime is TaxRegime.MEI:
        return
    if any(item.taxes.approximate_taxes is None and _is_sold(item.product) for item in items):
        findings.add_warning(_MISSING)


def taxes_by_sphere(bodies: Sequence[ItemBody], items: Sequence[Item], trade: Trade) -> LegalText | None:
    """Returns the sentence with the federal, state and municipal parts (Lei 12.741/2012, art. 1º).

    None if the request gives the amount of an item, because that amount is not divided into the three parts.
    """
    rates = trade.approximate_tax_rates
    if rates is None or any(body.approximate_taxes is not None for body in bodies):
        return None
    amount = total(item.taxes.approximate_taxes for item in items)
    federal, state, municipal = map(
        format_amount, split_amount(amount, (rates.federal, rates.state, rates.municipal))
    )
    sentence = (
        f"Valor aproximado dos tributos (Lei Federal {_LAW}): R$ {format_amount(amount)}"
        f" (federal R$ {federal}, estadual R$ {state}, municipal R$ {municipal})."
    )
    return LegalText(sentence, known_by=_LAW)


def _is_sold(product: ItemProduct) -> bool:
    return product.counts_in_total == COUNTS and is_sale(product.cfop)
