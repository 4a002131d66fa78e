"""What a received CT-e says: its parties, price and cargo documents, and its taxes."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from carimbo.fiscal.documents.cte.received_file import price_in, taker_of, waybill_in
from carimbo.fiscal.layouts.received_part import ReceivedPart, summed
from carimbo.fiscal.layouts.sefaz.answer_part import ACCESS_KEY
from carimbo.fiscal.layouts.sefaz.received_files import read_party
from carimbo.fiscal.money import ZERO, cents
from carimbo.fiscal.receiving import ReceivedDetails, ReceivedParty, TaxedAmount

_CFOP = re.compile(r"[0-9]{4}")
_PARTIES = {
    "issuer": "emit",
    "shipper": "rem",
    "dispatcher": "exped",
    "receiver": "receb",
    "recipient": "dest",
}
_SUBSTITUTED = "60"


def details(xml: bytes) -> ReceivedDetails:
    """Reads parties, price and cargo documents of a file; raises `UnreadFile`."""
    waybill = waybill_in(xml)
    return ReceivedDetails(
        nature=waybill.text("ide/natOp"),
        parties=list(_parties(waybill)),
        items=[*_components(waybill), *_carried(waybill)],
        totals=_totals(waybill),
        additional_information=waybill.text("compl/xObs"),
    )


def amounts(xml: bytes) -> tuple[TaxedAmount, ...]:
    """Reads the sums by tax and CST of a file, which has a single CFOP; raises `UnreadFile`."""
    waybill = waybill_in(xml)
    cfop = waybill.required_text("ide/CFOP", _CFOP)
    price = price_in(waybill).required_number("vTPrest")
    return summed((*_icms(waybill, cfop, price), *_ibs_and_cbs(waybill, cfop, price)))


def _parties(waybill: ReceivedPart) -> Iterator[ReceivedParty]:
    for role, tag in _PARTIES.items():
        if party := waybill.part(tag):
            yield read_party(role, party)
    # The taker is often one of the others; clients need not know the codes of the layout.
    if taker := taker_of(waybill):
        yield read_party("taker", taker)


def _components(waybill: ReceivedPart) -> Iterator[dict[str, Any]]:
    for component in (*waybill.parts("vPrest/Comp"), *waybill.parts("det/Comp")):
        yield {
            "type": "component",
            "name": component.text("xNome"),
            "amount": component.number("vComp"),
        }


def _carried(waybill: ReceivedPart) -> Iterator[dict[str, Any]]:
    """Yields the documents of the cargo; a description instead in a CT-e OS."""
    if service := waybill.part("infCTeNorm/infServico"):
        yield {"type": "service", "description": service.text("xDescServ")}
    if documents := waybill.part("infCTeNorm/infDoc"):
        yield from (_keyed("nfe", part, "chave") for part in documents.parts("infNFe"))
        yield from (_keyed("dce", part, "chave") for part in documents.parts("infDCe"))
        yield from (_numbered("paper", part, "vNF") for part in documents.parts("infNF"))
        yield from (_numbered("other", part, "vDocFisc") for part in documents.parts("infOutros"))
    for place in waybill.parts("det"):
        yield from (_keyed("nfe", part, "chNFe") for part in place.parts("infNFe"))
        yield from (_keyed("cte", part, "chCTe") for part in place.parts("infDocAnt"))


def _keyed(document_type: str, part: ReceivedPart, tag: str) -> dict[str, Any]:
    """Returns a document by its key, which is hidden from readers who are no parties (999…)."""
    key = part.text(tag) or ""
    is_hidden = not ACCESS_KEY.fullmatch(key) or set(key) == {"9"}
    return {"type": document_type, "accessKey": None if is_hidden else key}


def _numbered(document_type: str, part: ReceivedPart, amount_tag: str) -> dict[str, Any]:
    return {
        "type": document_type,
        "series": part.text("serie"),
        "number": part.text("nDoc"),
        "description": part.text("descOutros"),
        "amount": part.number(amount_tag),
    }


def _totals(waybill: ReceivedPart) -> dict[str, Decimal]:
    price = price_in(waybill)
    icms = next(_icms(waybill, "", ZERO), None)
    totals = {
        "amount": price.required_number("vTPrest"),
        "receivableAmount": price.number("vRec", "vTRec"),
        "cargoAmount": waybill.number("infCTeNorm/infCarga/vCarga", "infCarga/vCarga"),
        "icmsBase": icms.base if icms else None,
        "icmsAmount": icms.amount if icms else None,
        "approximateTaxes": waybill.number("imp/vTotTrib"),
    }
    for line in _ibs_and_cbs(waybill, "", ZERO):
        name = f"{line.tax}Amount"
        totals[name] = cents((totals.get(name) or ZERO) + line.amount)
    return {name: amount for name, amount in totals.items() if amount is not None}


def _icms(waybill: ReceivedPart, cfop: str, price: Decimal) -> Iterator[TaxedAmount]:
    """Yields the ICMS; what the taker withholds as a tax substitute is a tax of its own."""
    group = waybill.part("imp/ICMS/*")
    if group is None:
        return
    cst = group.cst("CST")

    def line(tax: str, base: Decimal | None, amount: Decimal | None) -> TaxedAmount:
        return TaxedAmount(cfop=cfop, tax=tax, cst=cst, items=price, base=base or ZERO, amount=amount or ZERO)

    # Base and amount have other names where another state gets the tax.
    yield line("icms", group.number("vBC", "vBCOutraUF"), group.number("vICMS", "vICMSOutraUF"))
    if cst == _SUBSTITUTED:
        yield line("icmsSt", group.number("vBCSTRet"), group.number("vICMSSTRet"))


def _ibs_and_cbs(waybill: ReceivedPart, cfop: str, price: Decimal) -> Iterator[TaxedAmount]:
    """Yields IBS and CBS; a simplified CT-e has them at each of its services."""
    for place in (*waybill.parts("imp"), *waybill.parts("det")):
        for taxes in place.parts("IBSCBS"):
            for tax, path in (("ibs", "gIBSCBS/vIBS"), ("cbs", "gIBSCBS/gCBS/vCBS")):
                yield TaxedAmount(
                    cfop=cfop,
                    tax=tax,
                    cst=taxes.cst("CST"),
                    items=place.number("vPrest") or price,
                    base=taxes.number("gIBSCBS/vBC") or ZERO,
                    amount=taxes.number(path) or ZERO,
                )
