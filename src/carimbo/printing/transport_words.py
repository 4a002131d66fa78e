"""Words for codes that several transport documents have."""

OWNER_TYPES = {"0": "TAC AGREGADO", "1": "TAC INDEPENDENTE", "2": "OUTROS"}
NAVIGATIONS = {"0": "INTERIOR", "1": "CABOTAGEM"}
TRANSPORT_UNITS = {
    "1": "Rodoviário tração",
    "2": "Rodoviário reboque",
    "3": "Navio",
    "4": "Balsa",
    "5": "Aeronave",
    "6": "Vagão",
    "7": "Outra unidade de transporte",
}
CARGO_UNITS = {"1": "Contêiner", "2": "ULD", "3": "Pallet", "4": "Outra unidade de carga"}
