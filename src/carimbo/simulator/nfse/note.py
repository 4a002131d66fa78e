"""The NFS-e that a declaration becomes, as XML in the order of its layout (NFSe 1.01)."""

from dataclasses import dataclass

from lxml import etree

from carimbo.fiscal.tables.countries import COUNTRIES
from carimbo.fiscal.tables.nbs import NBS
from carimbo.simulator.contributors import Contributor
from carimbo.simulator.nfse import amounts
from carimbo.simulator.nfse.answers import local
from carimbo.simulator.nfse.benefits import benefit_of
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.case import COUNTRY, PLACE, NoteCase
from carimbo.simulator.nfse.issuer import issuer_of
from carimbo.simulator.nfse.keys import NATIONAL
from carimbo.simulator.nfse.reform_amounts import reform_tax
from carimbo.simulator.nfse.reform_groups import reform_group
from carimbo.simulator.nfse.regimes import is_taxed
from carimbo.simulator.nfse.writing import ABROAD, city_name, money, plain
from carimbo.simulator.writing import APPLICATION, element, tax_id, texts

VERSION = "1.01"
_BY_TAXPAYER, _BY_API = "1", "1"
"""`tpEmis` and `procEmi`."""
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """What the authority gives a note."""

    access_key: str
    number: int
    serial: int
    """`nDFSe`: of all that the authority has made."""
    code: str
    """`cStat`."""


def note_xml(case: NoteCase, issue: Issue) -> bytes:
    """`NFSe`, signed by the authority, with the declaration inside as it came."""
    reform = reform_tax(case)
    inside = (
        texts(_head(case, issue))
        + _issuer(issuer_of(case), case)
        + element("valores", _amounts(case))
        + (reform_group(reform, case) if reform else "")
        + etree.tostring(case.element, encoding="unicode")
    )
    signed = f'<infNFSe Id="NFS{issue.access_key}">{inside}</infNFSe>'
    return case.world.seal.sign(f'<NFSe xmlns="{NAMESPACE}" versao="{VERSION}">{signed}</NFSe>')


def _head(case: NoteCase, issue: Issue) -> dict[str, str]:
    city = case.city_of_incidence if is_taxed(case) else ""
    nbs = NBS.rows.get(case.text("serv/cServ/cNBS"))
    return {
        "xLocEmi": city_name(case.text("cLocEmi")),
        "xLocPrestacao": _place_of_service(case),
        "nNFSe": str(issue.number),
        "cLocIncid": city,
        "xLocIncid": city_name(city) if city else "",
        "xTribNac": plain(case.service.description if case.service else "Serviço"),
        "xTribMun": _city_service(case),
        "xNBS": plain(nbs.description) if nbs else "",
        "verAplic": APPLICATION,
        "ambGer": NATIONAL,
        "tpEmis": _BY_TAXPAYER,
        "procEmi": _BY_API,
        "cStat": issue.code,
        "dhProc": local(case.world.now).isoformat(timespec="seconds"),
        "nDFSe": str(issue.serial),
    }


def _city_service(case: NoteCase) -> str:
    code = case.text("serv/cServ/cTribMun")
    return f"Código de tributação municipal {code}" if code else ""


def _place_of_service(case: NoteCase) -> str:
    country = case.text(COUNTRY)
    if not country:
        return city_name(case.text(PLACE))
    return next((one.name for one in COUNTRIES.values() if one.iso2 == country), ABROAD)


def _issuer(issuer: Contributor, case: NoteCase) -> str:
    name = {"xNome": issuer.name[:_LONGEST_NAME], "xFant": issuer.trade_name}
    address = {
        "xLgr": issuer.street,
        "nro": issuer.number,
        "xBairro": issuer.district,
        "cMun": case.text("cLocEmi"),
        "UF": issuer.state,
        "CEP": issuer.zipcode,
    }
    whole = texts(tax_id(case.author) | {"IM": case.text("prest/IM")} | name)
    contact = {"fone": case.text("prest/fone"), "email": case.text("prest/email")}
    return element("emit", whole + element("enderNac", texts(address)) + texts(contact))


def _amounts(case: NoteCase) -> str:
    tax, withheld, benefit = amounts.city_tax(case), amounts.withheld(case), benefit_of(case)
    before = {"vCalcDR": amounts.computed_deduction(case)} if tax else {}
    after = (
        {
            "vCalcBM": amounts.computed_benefit(case),
            "vBC": tax.base,
            "pAliqAplic": tax.rate,
            "vISSQN": tax.amount,
        }
        if tax
        else {}
    )
    total = {"vTotalRet": withheld or None, "vLiq": amounts.net_amount(case)}
    kind = {"tpBM": str(benefit)} if tax and benefit else {}
    return money(before) + texts(kind) + money(after | total)
