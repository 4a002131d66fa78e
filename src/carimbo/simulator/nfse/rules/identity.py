"""What a declaration is, when it was made, and where it is sent (Anexo I, infDPS)."""

from carimbo.simulator.calendar import CITIES_AGREED_SINCE, Milestone
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.keys import inscription
from carimbo.simulator.nfse.regimes import is_mei, is_small
from carimbo.simulator.nfse.rules.persons import is_city
from carimbo.simulator.rule import Finding, Rule

_LAST_SERIES = 49_999
"""Of the software of taxpayers; those above it are of other emitters."""
_PROVIDER = "1"


def other_id(case: NoteCase) -> bool:
    """The Id is put together of city, tax id, series and number."""
    if not case.author:
        return False
    numbered = f"{int(case.text('serie')):05d}{int(case.text('nDPS')):015d}"
    return case.id != f"DPS{case.text('cLocEmi')}{inscription(case.author)}{numbered}"


def other_environment(case: NoteCase) -> bool:
    """Production sent to homologation, or the other way."""
    return case.text("tpAmb") != case.place.environment


def issued_in_the_future(case: NoteCase) -> bool:
    """Issued after it came, by the authority's clock."""
    return case.issued_at > case.world.now


def other_series(case: NoteCase) -> bool:
    """A series of the emitters of the web and the telephone, or none."""
    return not 1 <= int(case.text("serie")) <= _LAST_SERIES


def issued_before(case: NoteCase) -> Finding:
    """The same declaration became a note before, which is named."""
    return case.earlier_key


def done_after_issue(case: NoteCase) -> bool:
    """Of a day that has not come when it was issued."""
    return case.competence > case.issued_at.date()


def done_before_agreement(case: NoteCase) -> bool:
    """Of a day on which no city had joined."""
    return case.competence < CITIES_AGREED_SINCE


def reason_out_of_place(case: NoteCase) -> bool:
    """A reason for which somebody else than the provider issues."""
    return case.text("tpEmit") == _PROVIDER and case.has("cMotivoEmisTI")


def issued_by_another(case: NoteCase) -> bool:
    """By taker or intermediary, which this version does not take."""
    return case.text("tpEmit") != _PROVIDER


def city_unknown(case: NoteCase) -> bool:
    """No city of Brazil."""
    return not is_city(case.text("cLocEmi"))


def without_agreement(case: NoteCase) -> bool:
    """A city that has not joined."""
    return not _city(case).has_agreement


def with_own_emitter(case: NoteCase) -> bool:
    """A city that has joined and issues by a system of its own."""
    return _city(case).has_agreement and not _city(case).has_national_emitter


def by_others_than_mei(case: NoteCase) -> bool:
    """MEI issue at the Sefin Nacional wherever they are."""
    return not is_mei(case)


def by_those_a_city_may_serve(case: NoteCase) -> bool:
    """Whom a city's own system may issue for: no MEI, and no longer the other companies of the Simples."""
    is_obliged = is_small(case) and case.follows(Milestone.NFSE_SIMPLES_USES_NATIONAL_EMITTER)
    return not is_mei(case) and not is_obliged


def _city(case: NoteCase) -> City:
    return city_of(case.text("cLocEmi"))


IDENTITY_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0004", other_id),
    Rule("E0006", other_environment),
    Rule("E0008", issued_in_the_future),
    Rule("E0010", other_series),
    Rule("E0014", issued_before),
    Rule("E0015", done_after_issue),
    Rule("E0016", done_before_agreement, by_others_than_mei),
    Rule("E0029", reason_out_of_place),
    Rule("E9996", issued_by_another),
    Rule("E0037", city_unknown),
    Rule("E0038", without_agreement, by_others_than_mei),
    Rule("E0039", with_own_emitter, by_those_a_city_may_serve),
)
