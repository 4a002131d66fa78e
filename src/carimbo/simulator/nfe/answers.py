"""Answers that NF-e and NFC-e alone have, in the order of their layouts (MOC 7.0, layout 4.00)."""

from collections.abc import Mapping, Sequence

from carimbo.fiscal.tables.states import STATES
from carimbo.simulator.contributors import Contributor
from carimbo.simulator.sefaz.answers import Authority, Verdict
from carimbo.simulator.writing import APPLICATION, tax_id, texts


def lot_answer(authority: Authority, verdict: Verdict, state_code: str, inside: str = "") -> str:
    """`retEnviNFe`, with a receipt or a protocol inside."""
    where = {"cUF": state_code, "dhRecbto": authority.time()}
    return authority.dialect.message("retEnviNFe", texts(authority.head(verdict) | where) + inside)


def receipt(number: str) -> str:
    """`infRec`; the average time is never told as less than a second."""
    return f"<infRec>{texts({'nRec': number, 'tMed': '1'})}</infRec>"


def receipt_answer(
    authority: Authority, verdict: Verdict, number: str, state_code: str, protocols: str = ""
) -> str:
    """`retConsReciNFe`."""
    about = authority.signature() | {"nRec": number} | authority.result(verdict)
    where = {"cUF": state_code, "dhRecbto": authority.time()}
    return authority.dialect.message("retConsReciNFe", texts(about | where) + protocols)


def inutilization_answer(
    authority: Authority, verdict: Verdict, asked: Mapping[str, str], number: str = ""
) -> str:
    """`retInutNFe`; `asked` is the range as the question had it, with its `cUF`."""
    about = dict(asked) | {"dhRecbto": authority.time(), "nProt": number}
    inside = texts(authority.head(verdict) | about)
    return authority.dialect.message("retInutNFe", f"<infInut>{inside}</infInut>")


def event_lot_answer(authority: Authority, verdict: Verdict, lot: str, organ: str, events: str = "") -> str:
    """`retEnvEvento`."""
    about = {"idLote": lot} | authority.signature() | {"cOrgao": organ} | authority.result(verdict)
    return authority.dialect.message("retEnvEvento", texts(about) + events, "1.00")


def registry_answer(
    authority: Authority, verdict: Verdict, asked: Mapping[str, str], found: Sequence[Contributor] = ()
) -> str:
    """`retConsCad`; `asked` is the question."""
    state = STATES.rows.get(asked.get("UF", ""), authority.seat)
    when = {"dhCons": authority.time(), "cUF": state.ibge}
    about = {"verAplic": APPLICATION} | authority.result(verdict) | dict(asked) | when
    inside = texts(about) + "".join(map(_registration, found))
    return authority.dialect.message("retConsCad", f"<infCons>{inside}</infCons>", "2.00")


def _registration(contributor: Contributor) -> str:
    """`infCad`; whoever is active may issue NF-e, and of CT-e nothing is known (code 4)."""
    active = "1" if contributor.is_active else "0"
    known = (
        {"IE": contributor.registration}
        | tax_id(contributor.tax_id)
        | {"UF": contributor.state, "cSit": active, "indCredNFe": active, "indCredCTe": "4"}
        | {"xNome": contributor.name, "xFant": contributor.trade_name, "xRegApur": contributor.tax_regime}
        | {"CNAE": contributor.activity}
    )
    address = texts(
        {
            "xLgr": contributor.street,
            "nro": contributor.number,
            "xBairro": contributor.district,
            "cMun": contributor.city_code,
            "xMun": contributor.city,
            "CEP": contributor.zipcode,
        }
    )
    return f"<infCad>{texts(known)}{f'<ender>{address}</ender>' if address else ''}</infCad>"


def distribution_answer(
    authority: Authority, verdict: Verdict, last_nsu: int, max_nsu: int, documents: str = ""
) -> str:
    """`retDistDFeInt`, with `docZip` elements inside."""
    where = {"dhResp": authority.time(), "ultNSU": f"{last_nsu:015d}", "maxNSU": f"{max_nsu:015d}"}
    lot = f"<loteDistDFeInt>{documents}</loteDistDFeInt>" if documents else ""
    return authority.dialect.message("retDistDFeInt", texts(authority.head(verdict) | where) + lot, "1.01")
