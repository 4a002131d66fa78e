"""Names that CT-e and CT-e OS share."""

NAMESPACE = "http://www.portalfiscal.inf.br/cte"
"""Namespace of every message of CT-e and CT-e OS."""
ID_PREFIX = "CTe"
"""The letters before the access key in an Id."""
MODE = f"{{{NAMESPACE}}}infModal"
"""The element around the data of the mode, which has an XSD of its own."""
