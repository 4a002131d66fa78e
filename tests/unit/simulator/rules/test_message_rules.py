"""Messages of every service: who sends them, and their form."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from lxml import etree

import nfe_dialect as messages
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.place import PRODUCTION
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.trust import Credential, Flaw, Trust
from support import CNPJ
from unit.simulator.mutating import AT_SP, nfe, world
from unit.simulator.rules.certificates import FLAWED, of_company

KEY = AccessKey.parse("35261111222333000181550010000000011123456806")
Change = Callable[[Call], Call]


@dataclass(frozen=True)
class BadCall:
    """What breaks one rule about messages, and nothing else, of a call that is accepted."""

    code: str
    change: Change = lambda call: call
    base: str = "status"
    flaw: Flaw | None = None
    switches: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


def saying(text: str, call: Call) -> Call:
    return replace(call, root=etree.fromstring(text), text=text.encode())


def written(old: str, new: str) -> Change:
    """The message with another text in it."""

    def change(call: Call) -> Call:
        text = etree.tostring(call.root, encoding="unicode")
        assert old in text
        return saying(text.replace(old, new), call)

    return change


def prefixed(call: Call) -> Call:
    text = etree.tostring(call.root, encoding="unicode")
    named = text.replace("xmlns=", "xmlns:n=").replace("</", "\0").replace("<", "<n:").replace("\0", "</n:")
    return saying(named, call)


def of_version(version: str) -> Change:
    """The message says another version, and its XSD is not asked."""
    return lambda call: replace(written("versao=", f'versao="{version}" was=')(call), schema=None)


BREAKINGS = [
    BadCall("280", lambda call: replace(call, sender=None)),
    *(BadCall(f"28{flaw}", flaw=flaw) for flaw in FLAWED),
    BadCall("284", flaw=Flaw.REVOKED),
    BadCall("286", switches={"revocation_list": False}),
    BadCall("214", lambda call: replace(call, text=b"x" * (500 * 1024 + 1))),
    BadCall("402", lambda call: replace(call, envelope_encoding="ISO-8859-1")),
    BadCall("404", prefixed),
    BadCall("588", written("<xServ>", "\n<xServ>")),
    BadCall("588", written("<infNFe", " <infNFe"), base="lot"),
    BadCall("239", of_version("3.10")),
    BadCall("239", of_version("1.00"), base="distribution"),
    BadCall("225", written("<mod>55<", "<mod>99<"), base="lot"),
    BadCall("215", written("<xServ>STATUS<", "<xServ>ESTADO<")),
    BadCall("225", written("<mod>", "<!-- modelo --><mod>"), base="lot"),
    BadCall("215", written("<xServ>", "<?x?><xServ>")),
    BadCall("252", lambda call: replace(call, place=AT_SP._replace(environment=PRODUCTION))),
]


@dataclass(frozen=True)
class Desk:
    """Where calls come in."""

    trust: Trust
    authority: SampleAuthority
    signer: Signer

    def verdict(self, bad: BadCall, *, changed: bool = True, **switches: Any) -> Refusal | None:
        """What is said of a call, as it was or changed."""
        issue = FLAWED.get(bad.flaw, of_company) if changed and bad.flaw is not None else of_company
        sender = Credential.of(issue(self.authority).certificate)
        revoked = {sender.serial_number} if changed and bad.flaw is Flaw.REVOKED else ()
        around = world(replace(self.trust, revoked=frozenset(revoked)), **switches)
        message, schema = self.messages()[bad.base]
        with closing(around.store):
            call = Call(
                dialect=DIALECT,
                root=etree.fromstring(message),
                text=message,
                schema=schema,
                sender=sender,
                place=AT_SP,
                world=around,
            )
            judged = bad.change(call) if changed else call
            return first_broken(MESSAGE_RULES, judged, around.controls.rules_off)

    def messages(self) -> dict[str, tuple[bytes, Schema]]:
        """Messages as we write them, with the XSDs of their services."""
        environment, state = AT_SP.environment, "35"
        distribution = messages.distribution_after(environment, state, CNPJ, 0)
        return {
            "lot": (messages.authorization_lot(1, [nfe(self.signer)]), Schema.NFE_BATCH),
            "status": (messages.status_query(environment, state), Schema.NFE_SERVICE_QUERY),
            "key": (messages.key_query(environment, KEY), Schema.NFE_DOCUMENT_QUERY),
            "receipt": (messages.receipt_query(environment, "351000000000001"), Schema.NFE_RECEIPT_QUERY),
            "distribution": (distribution, Schema.NFE_DISTRIBUTION),
        }


@pytest.fixture
def desk(trust: Trust, authority: SampleAuthority, signer: Signer) -> Desk:
    return Desk(trust, authority, signer)


class TestMessageRules:
    @pytest.mark.parametrize("bad", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, bad: BadCall, desk: Desk) -> None:
        assert desk.verdict(bad, changed=False) is None
        refusal = desk.verdict(bad, **bad.switches)
        assert refusal is not None
        assert refusal.code == bad.code
        assert desk.verdict(bad, rules_off=frozenset({bad.code}), **bad.switches) is None

    @pytest.mark.parametrize("name", ["lot", "status", "key", "receipt", "distribution"])
    def test_what_we_write_is_accepted(self, name: str, desk: Desk) -> None:
        assert desk.verdict(BadCall("none", base=name)) is None

    def test_the_newer_version_of_the_distribution_is_taken_too(self, desk: Desk) -> None:
        newer = written('versao="1.01"', 'versao="1.35"')
        assert desk.verdict(BadCall("239", newer, base="distribution")) is None
        wrong = written("<ultNSU>", "<ultNSU>x")
        refused = desk.verdict(BadCall("215", lambda call: wrong(newer(call)), base="distribution"))
        assert refused is not None
        assert refused.code == "215"

    def test_prefixes_that_nobody_uses_do_no_harm(self, desk: Desk) -> None:
        declared = written("<xServ>", '<xServ xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">')
        assert desk.verdict(BadCall("404", declared)) is None

    def test_a_prefixed_attribute_is_seen(self, desk: Desk) -> None:
        named = written("<xServ>", '<xServ xml:lang="pt">')
        assert desk.verdict(BadCall("404", named)) == Refusal("404")

    def test_white_space_within_a_text_is_none_between_tags(self, desk: Desk) -> None:
        inside = written("<natOp>", "<natOp> ")
        assert desk.verdict(BadCall("588", inside, base="lot"), rules_off=frozenset({"225"})) is None


class TestDetail:
    """What a broken XSD adds to the official text."""

    def detail(self, desk: Desk, change: Change, base: str = "lot") -> str:
        refusal = desk.verdict(BadCall("none", change, base=base))
        assert refusal
        return refusal.detail

    def test_the_element_is_named_by_its_way(self, desk: Desk) -> None:
        told = self.detail(desk, written("<NCM>69120000<", "<NCM>X<"))
        assert told == "[enviNFe/NFe/infNFe/det/prod/NCM: formato inválido]"

    def test_one_of_several_elements_is_counted(self, desk: Desk) -> None:
        empty = written("</detPag>", "</detPag><detPag><tPag>1</tPag></detPag>")
        assert self.detail(desk, empty) == "[enviNFe/NFe/infNFe/pag/detPag[2]/tPag: formato inválido]"

    def test_an_element_out_of_place_is_told(self, desk: Desk) -> None:
        told = self.detail(desk, written("<cUF>35</cUF>", ""), base="status")
        assert told == "[consStatServ/xServ: elemento inesperado, repetido ou ausente]"

    def test_another_message_is_told_by_its_root(self, desk: Desk) -> None:
        renamed = written("consStatServ", "consEstadoServ")
        assert self.detail(desk, renamed, base="status") == "[consEstadoServ: elemento desconhecido]"

    def test_there_is_room_for_it_after_the_official_text(self, desk: Desk) -> None:
        deep = "".join(f"<x{'y' * 40}{number}>" for number in range(9))
        closed = "".join(f"</x{'y' * 40}{number}>" for number in reversed(range(9)))
        told = self.detail(desk, written("<xServ>STATUS</xServ>", f"<xServ>{deep}{closed}</xServ>"), "status")
        assert len(f"Rejeição: {NFE_STATUSES['215'].text} {told}") <= 255
        assert told.startswith("[")
        assert told.endswith("]")
