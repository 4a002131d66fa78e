"""PDF printouts of every document type; imports only the fiscal library."""
