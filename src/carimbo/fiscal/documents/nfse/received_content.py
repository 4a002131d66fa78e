"""What a received NFS-e says: its parties, the service and its taxes."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from carimbo.fiscal.documents.nfse.iss import Withholding
from carimbo.fiscal.documents.nfse.received_file import declaration_in, note_in, price_in
from carimbo.fiscal.layouts.received_part import ReceivedPart
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.receiving import ReceivedDetails, ReceivedParty, TaxedAmount
from carimbo.fiscal.tables.geography import municipality_of_ibge

# The texts of the service, by the names of our requests.
_SERVICE_TEXTS = {
    "serviceDescription": "xDescServ",
    "federalServiceCode": "cTribNac",
    "cityServiceCode": "cTribMun",
    "nbs": "cNBS",
}
_TOTALS_OF_NOTE = {
    "issBase": "valores/vBC",
    "issRate": "valores/pAliqAplic",
    "issAmount": "valores/vISSQN",
    "totalWithheld": "valores/vTotalRet",
    "netAmount": "valores/vLiq",
    "ibsCbsBase": "IBSCBS/valores/vBC",
    "ibsAmount": "IBSCBS/totCIBS/gIBS/vIBSTot",
    "cbsAmount": "IBSCBS/totCIBS/gCBS/vCBS",
    "totalDue": "IBSCBS/totCIBS/vTotNF",
}
_FEDERAL = "valores/trib/tribFed"
# The layout has one amount for withheld CSLL, PIS and COFINS.
_WITHHELD = {
    "inssWithheld": f"{_FEDERAL}/vRetCP",
    "irWithheld": f"{_FEDERAL}/vRetIRRF",
    "csllWithheld": f"{_FEDERAL}/vRetCSLL",
}
_REFORM_CST = "IBSCBS/valores/trib/gIBSCBS/CST"


def details(xml: bytes) -> ReceivedDetails:
    """Reads parties, service and totals of a file; raises `UnreadFile`."""
    note = note_in(xml)
    declaration = declaration_in(note)
    notes = (declaration.text("serv/infoCompl/xInfComp"), note.text("xOutInf"))
    return ReceivedDetails(
        nature=note.text("xTribNac"),
        parties=list(_parties(note, declaration)),
        items=[_service(declaration)],
        totals=_totals(note, declaration),
        additional_information=" ".join(filter(None, notes)) or None,
    )


def amounts(xml: bytes) -> tuple[TaxedAmount, ...]:
    """Reads ISS, IBS and CBS, and each withholding of a file; raises `UnreadFile`."""
    note = note_in(xml)
    declaration = declaration_in(note)
    price, totals = price_in(declaration), _totals(note, declaration)

    def line(tax: str, cst: str, base: Decimal | None, amount: Decimal | None) -> TaxedAmount:
        return TaxedAmount(cfop="", tax=tax, cst=cst, items=price, base=base or ZERO, amount=amount or ZERO)

    lines = [line("iss", "", totals.get("issBase"), totals.get("issAmount"))]
    if _withholds_iss(declaration):
        lines.append(line("issWithheld", "", totals.get("issBase"), totals.get("issAmount")))
    # The layout has no bases of withholdings.
    lines.extend(line(tax, "", None, totals[tax]) for tax in _WITHHELD if totals.get(tax))
    if own := declaration.part(f"{_FEDERAL}/piscofins"):
        cst, base = own.cst("CST"), own.number("vBCPisCofins")
        lines += [
            line("pis", cst, base, own.number("vPis")),
            line("cofins", cst, base, own.number("vCofins")),
        ]
    if note.part("IBSCBS"):
        cst, base = declaration.cst(_REFORM_CST), totals.get("ibsCbsBase")
        lines += [line(tax, cst, base, totals.get(f"{tax}Amount")) for tax in ("ibs", "cbs")]
    return tuple(lines)


def _withholds_iss(declaration: ReceivedPart) -> bool:
    return declaration.text("valores/trib/tribMun/tpRetISSQN") not in (None, Withholding.NONE)


def _parties(note: ReceivedPart, declaration: ReceivedPart) -> Iterator[ReceivedParty]:
    """Yields the parties; the provider only if he does not issue the note himself."""
    issuer, provider = note.required_part("emit"), declaration.part("prest")
    yield _party("issuer", issuer)
    if provider and provider.tax_id() != issuer.tax_id():
        yield _party("provider", provider)
    for role, tag in (("taker", "toma"), ("intermediary", "interm")):
        if party := declaration.part(tag):
            yield _party(role, party)


def _party(role: str, party: ReceivedPart) -> ReceivedParty:
    """Reads a party, whose city is a code in Brazil."""
    code = party.first_text("enderNac/cMun", "end/endNac/cMun")
    place = municipality_of_ibge(code) if code else None
    return ReceivedParty(
        role=role,
        tax_id=party.tax_id(),
        name=party.text("xNome"),
        state_registration=None,
        city=place.name if place else party.text("end/endExt/xCidade"),
        state=place.state if place else None,
    )


def _service(declaration: ReceivedPart) -> dict[str, Any]:
    code = declaration.required_part("serv/cServ")
    texts = {name: code.text(tag) for name, tag in _SERVICE_TEXTS.items()}
    return {**{name: text for name, text in texts.items() if text}, "amount": price_in(declaration)}


def _totals(note: ReceivedPart, declaration: ReceivedPart) -> dict[str, Decimal]:
    totals = {
        "amount": price_in(declaration),
        "discount": declaration.number("valores/vDescCondIncond/vDescIncond"),
        **{name: note.number(path) for name, path in _TOTALS_OF_NOTE.items()},
        **{name: declaration.number(path) for name, path in _WITHHELD.items()},
    }
    if _withholds_iss(declaration):
        totals["issWithheld"] = totals["issAmount"]
    return {name: amount for name, amount in totals.items() if amount is not None}
