"""The legends that documents of the Simples Nacional carry (Resolução CGSN 140/2018, arts. 59 and 60)."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.goods.legal_text import LegalText
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn101, IcmsSn201, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.money import ZERO, total, with_decimal_comma, written

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
    # Art. 59, § 5º: above the sublimit the company charges ICMS, and says so in place of the first legend.
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
    """Yields the legends of the company's regime; a MEI has none, for they speak of ME and EPP alone."""
    if not company.defaults.simples_legends:
        return
    yield from _BY_REGIME.get(company.tax_regime, ())
    if company.tax_regime is TaxRegime.SIMPLES:
        amounts = _credits_by_rate(items)
        if amounts:
            yield _credit_legend(amounts)


def _credits_by_rate(items: Sequence[Item]) -> dict[Decimal, Decimal]:
    amounts: dict[Decimal, Decimal] = {}
    for item in items:
        icms = item.taxes.icms
        if isinstance(icms, _WITH_CREDIT) and icms.credit_rate and icms.credit_amount:
            amounts[icms.credit_rate] = amounts.get(icms.credit_rate, ZERO) + icms.credit_amount
    return amounts


def _credit_legend(amounts: dict[Decimal, Decimal]) -> LegalText:
    """Returns the legend of art. 60; several rates are listed, each with its part of the amount."""
    if len(amounts) == 1:
        rates = f"À ALÍQUOTA DE {_percent(next(iter(amounts)))}"
    else:
        parts = [f"{_percent(rate)} (R$ {written(amount)})" for rate, amount in amounts.items()]
        rates = f"ÀS ALÍQUOTAS DE {', '.join(parts[:-1])} E {parts[-1]}"
    whole = written(total(amounts.values()))
    sentence = (
        f"{_CREDIT} NO VALOR DE R$ {whole}; CORRESPONDENTE {rates}, NOS TERMOS DO ART. 23 DA LEI"
        " COMPLEMENTAR Nº 123, DE 2006."
    )
    return LegalText(sentence, known_by=_CREDIT)


def _percent(rate: Decimal) -> str:
    return with_decimal_comma(f"{rate.normalize():f}%")
