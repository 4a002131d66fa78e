"""The HTTP API: authentication, envelopes, limits and the routes of every resource."""
