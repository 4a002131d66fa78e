"""Simulated tax authorities. Their rules are independent of those of the product."""

DEFAULT_PORT, DEFAULT_CONTROL_PORT = 8443, 8444
"""Default ports of the services and of the control API."""
