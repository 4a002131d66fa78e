"""What carimbo knows of the MDF-e."""

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.documents.mdfe.settings import MdfeSettings

MDFE = SettingsModule(
    name="mdfe",
    title="MDF-e",
    model="58",
    settings=MdfeSettings,
    event_prefix="mdfe",
    event_group="mdfe",
    feature="mdfeEmission",
)
