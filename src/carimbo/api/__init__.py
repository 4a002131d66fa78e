"""HTTP in: authentication, envelopes, limits and the routes of every resource."""
