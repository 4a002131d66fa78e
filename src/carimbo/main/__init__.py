"""The composition root: puts settings, storage, use cases and doors together."""

from carimbo.main.api import api_of, listen, serve
from carimbo.main.authorities import authorities_of, endpoints_of, transport_of
from carimbo.main.outbound import deliver_forever, mail_room_of
from carimbo.main.parts import AddressUnusable, database_of, start_metrics, use_tables
from carimbo.main.worker import advancer_of, means_of, work

__all__ = [
    "AddressUnusable",
    "advancer_of",
    "api_of",
    "authorities_of",
    "database_of",
    "deliver_forever",
    "endpoints_of",
    "listen",
    "mail_room_of",
    "means_of",
    "serve",
    "start_metrics",
    "transport_of",
    "use_tables",
    "work",
]
