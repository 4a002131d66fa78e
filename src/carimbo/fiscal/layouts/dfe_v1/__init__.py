"""Groups that the layouts of all SEFAZ documents share."""
