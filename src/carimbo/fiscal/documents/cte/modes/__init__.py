"""The modes of transport of a CT-e: in requests, and as groups of the layout."""
