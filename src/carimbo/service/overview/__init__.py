"""The first page of the dashboard: what needs a person now, and the figures of today."""
