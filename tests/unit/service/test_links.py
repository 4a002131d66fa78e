"""Links that open a file: what they give access to, and for how long."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

from carimbo.service.documents.files import Links
from carimbo.service.documents.queries import DocumentReference
from carimbo.service.errors import ErrorCode, Refusal

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
OWNER = UUID("01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b")
DOCUMENT, OTHER_DOCUMENT = UUID(int=3), UUID(int=4)
LINKS = Links(b"k" * 32, "https://fiscal.example.com/base", WEEK, lambda: NOW)


@dataclass(frozen=True)
class Link:
    """The parts of a link."""

    owner: str
    document_id: str
    extension: str
    expires: str
    signature: str

    def opened(self, links: Links = LINKS) -> DocumentReference:
        return links.opened(self.owner, self.document_id, self.extension, self.expires, self.signature)


def link_of(url: str) -> Link:
    parts = urlsplit(url)
    query = {name: value for name, (value,) in parse_qs(parts.query, strict_parsing=True).items()}
    owner, _, file = parts.path.removeprefix("/base/files/").partition("/")
    return Link(owner, *file.split(".", 1), **query)


def is_valid(link: Link, links: Links = LINKS) -> bool:
    try:
        link.opened(links)
    except Refusal as refusal:
        assert refusal.code is ErrorCode.LINK_INVALID
        return False
    return True


PDF = link_of(LINKS.pdf(OWNER, DOCUMENT))
XML = link_of(LINKS.xml(OWNER, DOCUMENT))


class TestALink:
    def test_link_is_the_public_address_with_the_file_name(self) -> None:
        assert LINKS.pdf(OWNER, DOCUMENT).startswith("https://fiscal.example.com/base/files/")
        assert (PDF.document_id, PDF.extension) == (str(DOCUMENT), "pdf")
        assert (XML.document_id, XML.extension) == (str(DOCUMENT), "xml")

    def test_refused_link_to_a_received_document_names_the_route_of_a_new_one(self) -> None:
        link = link_of(LINKS.received_xml(OWNER, DOCUMENT))
        with pytest.raises(Refusal, match="LINK_INVALID") as refused:
            replace(link, expires="1").opened()
        assert "GET …/{id}/xml" in refused.value.message

    @pytest.mark.parametrize("link", [PDF, XML], ids=["pdf", "xml"])
    def test_link_identifies_its_owner_and_document(self, link: Link) -> None:
        assert link.opened() == DocumentReference(OWNER, DOCUMENT)

    def test_link_does_not_reveal_the_owners_id(self) -> None:
        """Neither alone nor beside another link: the mask differs for each document."""
        other = link_of(LINKS.pdf(OWNER, OTHER_DOCUMENT))
        veils = {UUID(link.owner).int ^ OWNER.int for link in (PDF, XML, other)}
        assert len(veils) == 2
        assert all(part not in LINKS.pdf(OWNER, DOCUMENT) for part in str(OWNER).split("-"))
        assert all(veil.bit_length() > 96 and veil.bit_count() > 32 for veil in veils)

    def test_masks_differ_between_installations(self) -> None:
        theirs = link_of(replace(LINKS, key=b"K" * 32).pdf(OWNER, DOCUMENT))
        assert theirs.owner != PDF.owner

    def test_link_needs_no_escaping_in_a_url(self) -> None:
        many = (link_of(LINKS.pdf(OWNER, UUID(int=number))) for number in range(200))
        assert all(link.signature.replace("-", "").replace("_", "").isalnum() for link in many)

    @pytest.mark.parametrize("link", [PDF, XML], ids=["pdf", "xml"])
    def test_link_is_valid_from_now_on(self, link: Link) -> None:
        assert is_valid(link)

    def test_link_is_valid_until_its_expiry_and_no_longer(self) -> None:
        last = replace(LINKS, clock=lambda: NOW + WEEK - timedelta(seconds=1))
        over = replace(LINKS, clock=lambda: NOW + WEEK)
        assert (is_valid(PDF, last), is_valid(PDF, over)) == (True, False)

    @pytest.mark.parametrize(
        "change",
        [
            lambda link: replace(link, owner=str(UUID(int=UUID(link.owner).int ^ 1))),
            lambda link: replace(link, owner=str(OWNER)),
            lambda link: replace(link, document_id=str(OTHER_DOCUMENT)),
            lambda link: replace(link, extension="xml"),
            lambda link: replace(link, owner=link.owner.upper()),
            lambda link: replace(link, owner="x"),
            lambda link: replace(link, expires=str(int(link.expires) + 1)),
            lambda link: replace(link, expires=f"0{link.expires}"),
            lambda link: replace(link, expires=""),
            lambda link: replace(link, expires="amanhã"),
            lambda link: replace(link, signature=XML.signature),
            lambda link: replace(link, signature=link.signature[:-1]),
            lambda link: replace(link, signature=f"{link.signature}="),
            lambda link: replace(link, signature=""),
            lambda link: replace(link, signature="ção"),
        ],
        ids=[
            "owner", "unveiled", "document", "extension", "spelling", "no-id", "later", "padded", "endless",
            "no-number", "signature-of-another", "cut", "longer", "unsigned", "accents",
        ],
    )  # fmt: skip
    def test_changed_link_is_invalid(self, change: Callable[[Link], Link]) -> None:
        assert not is_valid(change(PDF))

    def test_link_of_another_installation_is_invalid(self) -> None:
        assert not is_valid(PDF, replace(LINKS, key=b"K" * 32))

    def test_repr_does_not_show_keys(self) -> None:
        assert "kkk" not in repr(LINKS)
