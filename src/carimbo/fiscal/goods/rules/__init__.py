"""What the authorities check beyond the XSD, known before anything is sent."""
