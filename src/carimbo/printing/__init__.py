"""PDF of every type of document; knows only the fiscal library."""
