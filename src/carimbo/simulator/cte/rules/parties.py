"""Rules about the parties of a CT-e or CT-e OS, the places of the service, and the readers."""

from collections.abc import Callable, Iterator

from carimbo.simulator.cte.judged import OS_TAKER, OTHER_TAKER, JudgedTransport
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.identifiers import is_cnpj, is_cpf
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.judged import tax_id_of
from carimbo.simulator.sefaz.places import is_outside, is_unknown_city
from carimbo.simulator.sefaz.rules.readers import reader_named_twice, wrong_developer, wrong_reader

HOMOLOGATION_NAME = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
VARIOUS = "DIVERSOS"
"""The name of the other side in a globalized CT-e."""
EXEMPT = "ISENTO"
CONTRIBUTOR, EXEMPT_TAKER = "1", "2"
"""`indIEToma`."""
_ADDRESSES = {
    "rem": "enderReme",
    "exped": "enderExped",
    "receb": "enderReceb",
    "dest": "enderDest",
    OTHER_TAKER: "enderToma",
    OS_TAKER: "enderToma",
}
# MOC CT-e, 617.
_WITHOUT_EXEMPT_TAKERS = frozenset({"AM", "BA", "CE", "GO", "MG", "MS", "MT", "PE", "RN", "SE", "SP"})
_STATES_OF_SUFRAMA = frozenset({"AC", "AM", "RO", "RR"})
_CITIES_OF_SUFRAMA = frozenset({"1600303", "1600600"})
_SUFRAMA_LENGTH = 9
_Check = Callable[[JudgedTransport], Finding]


def _real_name(party: str) -> _Check:
    """MOC CT-e, 646 to 649; a globalized CT-e has another fixed name, which other rules check."""

    def is_real(cte: JudgedTransport) -> bool:
        if cte.text("ide/tpAmb") != HOMOLOGATION:
            return False
        fixed = {"", HOMOLOGATION_NAME} | ({VARIOUS} if cte.text("ide/indGlobalizado") else set())
        return cte.text(f"{party}/xNome") not in fixed

    return is_real


def _taker_missing(role: str) -> _Check:
    """MOC CT-e, 460 to 463."""
    return lambda cte: cte.taker_role == role and not cte.taker.tag


def contributor_without_registration(cte: JudgedTransport) -> bool:
    """MOC CT-e, 481."""
    return cte.text("ide/indIEToma") == CONTRIBUTOR and cte.taker.text("IE") in ("", EXEMPT)


def exempt_without_the_word(cte: JudgedTransport) -> bool:
    """MOC CT-e, 482."""
    return cte.text("ide/indIEToma") == EXEMPT_TAKER and cte.taker.text("IE") != EXEMPT


def exempt_in_state_without_exemption(cte: JudgedTransport) -> bool:
    """MOC CT-e, 617."""
    return cte.text("ide/indIEToma") == EXEMPT_TAKER and state_of_taker(cte) in _WITHOUT_EXEMPT_TAKERS


def state_of_taker(cte: JudgedTransport) -> str:
    """Returns the state of the party that takes the service, in letters."""
    return cte.taker.text(f"{_ADDRESSES[cte.taker_role]}/UF")


TAKER_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("460", _taker_missing("rem")),
    RejectionRule("461", _taker_missing("exped")),
    RejectionRule("462", _taker_missing("receb")),
    RejectionRule("463", _taker_missing("dest")),
)
REGISTRATION_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("481", contributor_without_registration),
    RejectionRule("482", exempt_without_the_word),
    RejectionRule("617", exempt_in_state_without_exemption),
)
NAME_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("646", _real_name("rem")),
    RejectionRule("647", _real_name("exped")),
    RejectionRule("648", _real_name("receb")),
    RejectionRule("649", _real_name("dest")),
)


def _wrong_cnpj(path: str) -> _Check:
    """Zeros, or wrong check digits; parties abroad have an empty one."""
    return lambda cte: bool(cnpj := cte.text(f"{path}/CNPJ")) and not is_cnpj(cnpj)


def _wrong_cpf(path: str) -> _Check:
    return lambda cte: bool(cpf := cte.text(f"{path}/CPF")) and not is_cpf(cpf)


def _wrong_registration(path: str) -> _Check:
    """Zeros; check digits, which differ by state, are not checked."""
    return lambda cte: bool(number := cte.text(f"{path}/IE")) and not number.strip("0")


def _city_of_another_state(city: str, state: str) -> _Check:
    return lambda cte: bool(cte.text(city)) and is_outside(cte.text(city), cte.text(state))


def _unknown_city(city: str, state: str) -> _Check:
    return lambda cte: bool(cte.text(city)) and is_unknown_city(cte.text(city), cte.text(state))


def _rules_of(party: str, *codes: str) -> Iterator[RejectionRule[JudgedTransport]]:
    """Yields the rules of a party: CNPJ, CPF, city and state, city, registration."""
    city, state = f"{party}/{_ADDRESSES[party]}/cMun", f"{party}/{_ADDRESSES[party]}/UF"
    checks = (
        _wrong_cnpj(party),
        _wrong_cpf(party),
        _city_of_another_state(city, state),
        _unknown_city(city, state),
        _wrong_registration(party),
    )
    yield from (RejectionRule(code, check) for code, check in zip(codes, checks, strict=True))


def wrong_suframa_number(cte: JudgedTransport) -> bool:
    """MOC CT-e, 235: modulo 11 with the weights 2 to 9."""
    number = cte.text("dest/ISUF").zfill(_SUFRAMA_LENGTH)
    if not number.strip("0"):
        return bool(cte.text("dest/ISUF"))
    weighed = sum(int(digit) * weight for digit, weight in zip(number, range(9, 1, -1), strict=False))
    return -weighed % 11 % 10 != int(number[-1])


def outside_suframa(cte: JudgedTransport) -> bool:
    """MOC CT-e, 251."""
    if not cte.text("dest/ISUF"):
        return False
    address = cte.content.group("dest/enderDest")
    state, city = (address.text("UF"), address.text("cMun")) if address else ("", "")
    return state not in _STATES_OF_SUFRAMA and city not in _CITIES_OF_SUFRAMA


def taker_is_already_a_party(cte: JudgedTransport) -> bool:
    """MOC CT-e, 799: same tax id and registration."""
    taker = cte.content.group(OTHER_TAKER)
    if taker is None:
        return False
    others = (cte.party(path) for path in cte.parties if path != OTHER_TAKER)
    same = (tax_id_of(taker), taker.text("IE"))
    return bool(same[0]) and any((tax_id_of(other), other.text("IE")) == same for other in others)


PARTY_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    *_rules_of("rem", "415", "416", "418", "532", "419"),
    *_rules_of("dest", "208", "237", "424", "533", "210"),
    RejectionRule("235", wrong_suframa_number),
    RejectionRule("251", outside_suframa),
    *_rules_of("exped", "428", "429", "431", "534", "432"),
    *_rules_of("receb", "436", "437", "439", "535", "440"),
    *_rules_of(OTHER_TAKER, "444", "445", "447", "536", "448"),
    RejectionRule("799", taker_is_already_a_party),
)
OS_PARTY_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    *_rules_of(OS_TAKER, "444", "445", "447", "536", "448"),
)

PLACE_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("493", _city_of_another_state("ide/cMunEnv", "ide/UFEnv")),
    RejectionRule("537", _unknown_city("ide/cMunEnv", "ide/UFEnv")),
    RejectionRule("456", _city_of_another_state("ide/cMunIni", "ide/UFIni")),
    RejectionRule("541", _unknown_city("ide/cMunIni", "ide/UFIni")),
    RejectionRule("414", _city_of_another_state("ide/cMunFim", "ide/UFFim")),
    RejectionRule("542", _unknown_city("ide/cMunFim", "ide/UFFim")),
)


def reader_is_a_party(cte: JudgedTransport) -> bool:
    """MOC CT-e, 828: parties read their documents anyway."""
    parties = {cte.tax_id(path) for path in ("emit", *cte.parties)} - {""}
    return any(tax_id_of(reader) in parties for reader in cte.content.all("autXML"))


READER_RULES: tuple[RejectionRule[JudgedTransport], ...] = (
    RejectionRule("699", wrong_reader("CNPJ", is_cnpj)),
    RejectionRule("700", wrong_reader("CPF", is_cpf)),
    RejectionRule("715", reader_named_twice),
    RejectionRule("828", reader_is_a_party),
)
DEVELOPER_RULES: tuple[RejectionRule[JudgedTransport], ...] = (RejectionRule("836", wrong_developer),)
