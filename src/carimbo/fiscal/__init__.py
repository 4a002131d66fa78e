"""The fiscal library: arguments in, values out; no web, database, network, clock or environment."""
