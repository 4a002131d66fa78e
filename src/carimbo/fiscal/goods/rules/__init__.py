"""Rules that the authorities check beyond the XSD, checked here before anything is sent."""
