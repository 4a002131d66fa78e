"""The models of documents that the two families issue."""

NFE, NFCE = "55", "65"
