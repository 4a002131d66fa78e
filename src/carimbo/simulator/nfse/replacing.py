"""A note that takes the place of another: the Sefin itself tells the event of the older one."""

from carimbo.simulator.nfse.answers import local
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.event_types import NAMES, SUBSTITUTION
from carimbo.simulator.nfse.event_writing import Happening, register
from carimbo.simulator.nfse.note import VERSION
from carimbo.simulator.writing import APPLICATION, element, tax_id, texts


def replace_note(case: NoteCase, access_key: str) -> None:
    """Cancel the note that a declaration names, if any, by the one that it became."""
    if case.replaced is None or case.replaced.is_canceled:
        return
    happening = Happening(
        access_key=case.replaced.access_key,
        type=SUBSTITUTION,
        author=case.author,
        request=_request(case, access_key),
    )
    register(happening, case.place, case.world)


def _request(case: NoteCase, access_key: str) -> str:
    """`pedRegEvento`, which nobody signs: it is the authority's own."""
    head = {
        "tpAmb": case.place.environment,
        "verAplic": APPLICATION,
        "dhEvento": local(case.world.now).isoformat(timespec="seconds"),
    }
    about = tax_id(case.author, "Autor") | {"chNFSe": case.replaced_key}
    detail = {
        "xDesc": NAMES[SUBSTITUTION],
        "cMotivo": case.text("subst/cMotivo"),
        "xMotivo": case.text("subst/xMotivo"),
        "chSubstituta": access_key,
    }
    inside = texts(head | about) + element(f"e{SUBSTITUTION}", texts(detail))
    told = f'<infPedReg Id="PRE{case.replaced_key}{SUBSTITUTION}">{inside}</infPedReg>'
    return f'<pedRegEvento xmlns="{NAMESPACE}" versao="{VERSION}">{told}</pedRegEvento>'
