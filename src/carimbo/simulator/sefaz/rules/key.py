"""The access key and its parts, and whether the document belongs to the authority it was sent to."""

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.keys import has_right_digit
from carimbo.simulator.sefaz.document import JudgedDocument


def key_differs_from_its_fields(document: JudgedDocument) -> bool:
    """MOC 7.0, A03-10."""
    return document.access_key != _composed_key(document)


def wrong_check_digit(document: JudgedDocument) -> bool:
    """MOC 7.0, B23-10."""
    return not has_right_digit(_composed_key(document))


def state_of_another_authorizer(document: JudgedDocument) -> bool:
    """MOC 7.0, B02-10."""
    model, authorizer = document.dialect.model_at(document.place), document.place.authorizer
    return state_of(document) not in states_of(model, authorizer)


def other_environment(document: JudgedDocument) -> bool:
    """MOC 7.0, B24-10."""
    return document.text("ide/tpAmb") != document.place.environment


def state_of(document: JudgedDocument) -> str:
    """Returns the issuer's state in letters, as the key has it; empty if there is none of that code."""
    state = state_of_ibge(document.text("ide/cUF"))
    return state.code if state else ""


def _composed_key(document: JudgedDocument) -> str:
    """Returns the 44 positions from the fields (MOC 7.0, 2.2.6); the month is that of the issuer's clock."""
    text = document.text
    month = text("ide/dhEmi")[2:4] + text("ide/dhEmi")[5:7]
    numbered = f"{document.model}{document.series:03d}{document.number:09d}"
    issued = f"{text('ide/cUF')}{month}{document.author.zfill(14)}{numbered}"
    numeric_code = text(f"ide/{document.dialect.numeric_code_tag}")
    return f"{issued}{document.emission}{numeric_code}{text('ide/cDV')}"
