"""PDF drawing: pages, fonts, images and codes, and fitting text into widths."""
