"""A company that gives services in some municipality, and what its notes say."""

from typing import Any

from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
from integration.issuing.shop import ADDRESS, NFSE_SETTINGS, Shop, bare_shop

DETAILED = {"cityServiceCode": "1234", "federalServiceCode": "01.07", "iss": {"rate": 2}}
"""What makes a body one of the detailed form."""
CAMPINAS = ADDRESS | {"zipcode": "13010-111", "city": "Campinas"}
BRASILIA = ADDRESS | {"zipcode": "70040-010", "city": "Brasília", "state": "DF"}
PORTO_ALEGRE = ADDRESS | {"zipcode": "90010-150", "city": "Porto Alegre", "state": "RS"}


async def provider_in(
    floor: Floor, certificate: A1Certificate, address: dict[str, str], **fields: Any
) -> Shop:
    """A company that its municipality knows, and the tax office of its state does not."""
    known: dict[str, Any] = {"taxRegime": "simples", "simplesRate": 6} | fields
    shop = await bare_shop(floor, await floor.new_caller(), address=address, **known)
    await shop.put_settings(nfse=NFSE_SETTINGS)
    await shop.certify(certificate)
    return shop


async def note_of(shop: Shop, document: dict[str, Any]) -> "Note":
    """The NFS-e that the authority made of a document."""
    answer = await shop.get(f"/nfse/{document['id']}/xml")
    assert answer.status_code == 200, answer.text
    return Note(answer.content)


class Note:
    """An NFS-e, or a DPS, by its official names."""

    def __init__(self, xml: bytes) -> None:
        self._root = etree.fromstring(xml)

    def text(self, path: str) -> str | None:
        """What stands at a path, which begins anywhere."""
        return self._root.findtext(".//" + "/".join(f"{{*}}{name}" for name in path.split("/")))
