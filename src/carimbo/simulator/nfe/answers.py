"""Answers that only NF-e and NFC-e have, in the element order of their layouts (MOC 7.0, layout 4.00)."""

from collections.abc import Mapping, Sequence

from carimbo.fiscal.tables.geography import STATES
from carimbo.simulator.registers import Contributor
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.sefaz.answers import AnsweringAuthority
from carimbo.simulator.xml_messages import APPLICATION, tax_id_field, text_elements


def lot_answer(
    authority: AnsweringAuthority, verdict: AuthorityVerdict, state_code: str, inside: str = ""
) -> str:
    """Returns `retEnviNFe`, with a receipt or a protocol inside."""
    where = {"cUF": state_code, "dhRecbto": authority.time()}
    return authority.dialect.message(
        "retEnviNFe", text_elements(authority.head_fields(verdict) | where) + inside
    )


def receipt(number: str) -> str:
    """Returns `infRec`; the average time is always at least one second."""
    return f"<infRec>{text_elements({'nRec': number, 'tMed': '1'})}</infRec>"


def receipt_answer(
    authority: AnsweringAuthority,
    verdict: AuthorityVerdict,
    number: str,
    state_code: str,
    protocols: str = "",
) -> str:
    """Returns `retConsReciNFe`."""
    about = authority.application_fields() | {"nRec": number} | authority.result_fields(verdict)
    where = {"cUF": state_code, "dhRecbto": authority.time()}
    return authority.dialect.message("retConsReciNFe", text_elements(about | where) + protocols)


def inutilization_answer(
    authority: AnsweringAuthority, verdict: AuthorityVerdict, fields: Mapping[str, str], number: str = ""
) -> str:
    """Returns `retInutNFe`; `fields` has the range of the request, with its `cUF`."""
    about = dict(fields) | {"dhRecbto": authority.time(), "nProt": number}
    inside = text_elements(authority.head_fields(verdict) | about)
    return authority.dialect.message("retInutNFe", f"<infInut>{inside}</infInut>")


def event_lot_answer(
    authority: AnsweringAuthority, verdict: AuthorityVerdict, lot: str, organ: str, events: str = ""
) -> str:
    """Returns `retEnvEvento`."""
    about = (
        {"idLote": lot}
        | authority.application_fields()
        | {"cOrgao": organ}
        | authority.result_fields(verdict)
    )
    return authority.dialect.message("retEnvEvento", text_elements(about) + events, "1.00")


def registry_answer(
    authority: AnsweringAuthority,
    verdict: AuthorityVerdict,
    fields: Mapping[str, str],
    contributors: Sequence[Contributor] = (),
) -> str:
    """Returns `retConsCad`; `fields` has the question."""
    state = STATES.rows.get(fields.get("UF", ""), authority.home_state)
    when = {"dhCons": authority.time(), "cUF": state.ibge}
    about = {"verAplic": APPLICATION} | authority.result_fields(verdict) | dict(fields) | when
    inside = text_elements(about) + "".join(map(_registration, contributors))
    return authority.dialect.message("retConsCad", f"<infCons>{inside}</infCons>", "2.00")


def _registration(contributor: Contributor) -> str:
    """`infCad`. Active taxpayers can issue NF-e; for CT-e the code is 4, not known."""
    active = "1" if contributor.is_active else "0"
    fields = (
        {"IE": contributor.registration}
        | tax_id_field(contributor.tax_id)
        | {"UF": contributor.state, "cSit": active, "indCredNFe": active, "indCredCTe": "4"}
        | {"xNome": contributor.name, "xFant": contributor.trade_name, "xRegApur": contributor.tax_regime}
        | {"CNAE": contributor.activity}
    )
    address = text_elements(
        {
            "xLgr": contributor.street,
            "nro": contributor.number,
            "xBairro": contributor.district,
            "cMun": contributor.city_code,
            "xMun": contributor.city,
            "CEP": contributor.zipcode,
        }
    )
    return f"<infCad>{text_elements(fields)}{f'<ender>{address}</ender>' if address else ''}</infCad>"
