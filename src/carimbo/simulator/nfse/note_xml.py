"""Writes the NFS-e that is issued for a declaration, in the order of its layout (NFSe 1.01)."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from cryptography.x509.oid import NameOID
from lxml import etree

from carimbo.fiscal.tables.geography import COUNTRIES, municipality_of_ibge
from carimbo.fiscal.tables.service_codes import NBS
from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.amounts import (
    ZERO,
    IbsCbsShare,
    NoteIbsCbs,
    percent_of,
    place_of_operation,
    reform_tax,
    reimbursed_expenses,
)
from carimbo.simulator.nfse.answers import brasilia_time
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.dps import AT_SEA, COUNTRY, PLACE, JudgedDps
from carimbo.simulator.nfse.stored_notes import NATIONAL
from carimbo.simulator.nfse.taxation import benefit_of, is_taxed
from carimbo.simulator.registers import Contributor, Contributors
from carimbo.simulator.xml_messages import APPLICATION, element_with, tax_id_field, text_elements

_UNNAMED = "CONTRIBUINTE DO SIMULADOR"
ABROAD = "Exterior"
_NO_CITIES = {AT_SEA: "Águas marítimas"}
_MAX_TEXT_LENGTH = 600
VERSION = "1.01"
_BY_TAXPAYER, _BY_API = "1", "1"
"""Values of `tpEmis` and `procEmi`."""
_MAX_NAME_LENGTH = 300


def issuer_of(dps: JudgedDps) -> Contributor:
    """Returns the issuer in the register of its state, or an invented one named like its certificate."""
    city = municipality_of_ibge(dps.text("cLocEmi"))
    state = city.state if city else ""
    registered = Contributors(dps.context.store).of_tax_id(state, dps.author)
    if registered and registered[0].street:
        return registered[0]
    return Contributor(
        state=state,
        tax_id=dps.author,
        registration="",
        name=_name_of(dps),
        street="RUA DO SIMULADOR",
        number="1",
        district="CENTRO",
        zipcode="00000000",
    )


def _name_of(dps: JudgedDps) -> str:
    """Returns the common name of the certificate without its colon and CNPJ (DOC-ICP-04)."""
    credential = dps.signature.credential if dps.signature else None
    names = credential.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME) if credential else []
    return str(names[0].value).partition(":")[0] if names else _UNNAMED


def money(values: Mapping[str, Decimal | None]) -> str:
    """Returns elements with amounts, in order, leaving out None."""
    return text_elements({tag: f"{amount:.2f}" for tag, amount in values.items() if amount is not None})


def city_name(code: str) -> str:
    """Returns the name of a city, or a text for the sea or abroad."""
    city = municipality_of_ibge(code)
    return city.name if city else _NO_CITIES.get(code, ABROAD)


def plain(text: str) -> str:
    """Returns a text of a table in the characters and the length that the XSD allows."""
    simple = text.replace("\u2013", "-").replace("\u201c", '"').replace("\u201d", '"').replace("\u2019", "'")
    return simple.encode("latin-1", "ignore").decode("latin-1")[:_MAX_TEXT_LENGTH].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """The key, numbers and status that the authority gives a note."""

    access_key: str
    number: int
    serial: int
    """`nDFSe`, the sequence of all documents of the authority."""
    code: str
    """`cStat`."""


def note_xml(dps: JudgedDps, issue: Issue) -> bytes:
    """Returns the `NFSe`, signed by the authority, with the declaration inside as it was received."""
    reform = reform_tax(dps)
    inside = (
        text_elements(_head(dps, issue))
        + _issuer(issuer_of(dps), dps)
        + element_with("valores", _amounts(dps))
        + (reform_group(reform, dps) if reform else "")
        + etree.tostring(dps.element, encoding="unicode")
    )
    signed = f'<infNFSe Id="NFS{issue.access_key}">{inside}</infNFSe>'
    return dps.context.signer.sign(f'<NFSe xmlns="{NAMESPACE}" versao="{VERSION}">{signed}</NFSe>')


def _head(dps: JudgedDps, issue: Issue) -> dict[str, str]:
    city = dps.city_of_incidence if is_taxed(dps) else ""
    city_code = dps.text("serv/cServ/cTribMun")
    nbs = NBS.rows.get(dps.text("serv/cServ/cNBS"))
    return {
        "xLocEmi": city_name(dps.text("cLocEmi")),
        "xLocPrestacao": _place_of_service(dps),
        "nNFSe": str(issue.number),
        "cLocIncid": city,
        "xLocIncid": city_name(city) if city else "",
        "xTribNac": plain(dps.service.description if dps.service else "Serviço"),
        "xTribMun": f"Código de tributação municipal {city_code}" if city_code else "",
        "xNBS": plain(nbs.description) if nbs else "",
        "verAplic": APPLICATION,
        "ambGer": NATIONAL,
        "tpEmis": _BY_TAXPAYER,
        "procEmi": _BY_API,
        "cStat": issue.code,
        "dhProc": brasilia_time(dps.context.now).isoformat(timespec="seconds"),
        "nDFSe": str(issue.serial),
    }


def _place_of_service(dps: JudgedDps) -> str:
    country = dps.text(COUNTRY)
    if not country:
        return city_name(dps.text(PLACE))
    return next((row.name for row in COUNTRIES.values() if row.iso2 == country), ABROAD)


def _issuer(issuer: Contributor, dps: JudgedDps) -> str:
    name = {"xNome": issuer.name[:_MAX_NAME_LENGTH], "xFant": issuer.trade_name}
    address = {
        "xLgr": issuer.street,
        "nro": issuer.number,
        "xBairro": issuer.district,
        "cMun": dps.text("cLocEmi"),
        "UF": issuer.state,
        "CEP": issuer.zipcode,
    }
    identity = text_elements(tax_id_field(dps.author) | {"IM": dps.text("prest/IM")} | name)
    contact = {"fone": dps.text("prest/fone"), "email": dps.text("prest/email")}
    return element_with(
        "emit", identity + element_with("enderNac", text_elements(address)) + text_elements(contact)
    )


def _amounts(dps: JudgedDps) -> str:
    tax, withheld, benefit = amounts.city_tax(dps), amounts.withheld(dps), benefit_of(dps)
    before = {"vCalcDR": amounts.computed_deduction(dps)} if tax else {}
    after = (
        {
            "vCalcBM": amounts.computed_benefit(dps),
            "vBC": tax.base,
            "pAliqAplic": tax.rate,
            "vISSQN": tax.amount,
        }
        if tax
        else {}
    )
    total = {"vTotalRet": withheld or None, "vLiq": amounts.net_amount(dps)}
    benefit_kind = {"tpBM": str(benefit)} if tax and benefit else {}
    return money(before) + text_elements(benefit_kind) + money(after | total)


def reform_group(tax: NoteIbsCbs, dps: JudgedDps) -> str:
    """Returns the group `IBSCBS`; the reduction for public purchases is still zero."""
    is_public, place = dps.has("IBSCBS/tpEnteGov"), place_of_operation(dps)
    location = text_elements({"cLocalidadeIncid": place, "xLocalidadeIncid": city_name(place)})
    discount = money({"pRedutor": ZERO if is_public else None})
    return element_with("IBSCBS", location + discount + _values(tax, dps) + _totals(tax, is_public=is_public))


def _values(tax: NoteIbsCbs, dps: JudgedDps) -> str:
    rates = (
        element_with("uf", _rates(tax.state, "pIBSUF", "UF"))
        + element_with("mun", _rates(tax.city, "pIBSMun", "Mun"))
        + element_with("fed", _rates(tax.cbs, "pCBS", "CBS"))
    )
    base = money({"vBC": tax.base, "vCalcReeRepRes": reimbursed_expenses(dps)})
    return element_with("valores", base + rates)


def _rates(share: IbsCbsShare, tag: str, name: str) -> str:
    return money(
        {
            tag: share.rate,
            f"pRedAliq{name}": share.reduction,
            f"pAliqEfet{name}": share.effective,
        }
    )


def _totals(tax: NoteIbsCbs, *, is_public: bool) -> str:
    state = element_with("gIBSUFTot", money({"vDifUF": tax.state.deferred, "vIBSUF": tax.state.amount}))
    city = element_with("gIBSMunTot", money({"vDifMun": tax.city.deferred, "vIBSMun": tax.city.amount}))
    cbs = element_with("gCBS", money({"vDifCBS": tax.cbs.deferred, "vCBS": tax.cbs.amount}))
    ibs = element_with("gIBS", money({"vIBSTot": tax.ibs}) + state + city)
    others = _regular(tax) + (_public(tax) if is_public else "")
    return element_with("totCIBS", money({"vTotNF": tax.total}) + ibs + cbs + others)


def _regular(tax: NoteIbsCbs) -> str:
    """Returns `gTribRegular`, the taxes without the benefit, or an empty text."""
    values: dict[str, Decimal | None] = {}
    for name, share in (("IBSUF", tax.state), ("IBSMun", tax.city), ("CBS", tax.cbs)):
        if share.regular is None:
            return ""
        amount = percent_of(tax.base, share.regular)
        values |= {f"pAliqEfeReg{name}": share.regular, f"vTribReg{name}": amount}
    return element_with("gTribRegular", money(values))


def _public(tax: NoteIbsCbs) -> str:
    """Returns `gTribCompraGov`, the split of the taxes on purchases of public bodies."""
    values: dict[str, Decimal | None] = {}
    for name, share in (("IBSUF", tax.state), ("IBSMun", tax.city), ("CBS", tax.cbs)):
        values |= {f"p{name}": share.effective, f"v{name}": share.amount}
    return element_with("gTribCompraGov", money(values))
