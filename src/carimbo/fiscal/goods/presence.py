"""How the buyer was present at a sale of goods."""

from carimbo.fiscal.coded import Coded


class Presence(Coded):
    """How the buyer was present (`indPres`)."""

    NONE = "none", "0"
    IN_PERSON = "inPerson", "1"
    INTERNET = "internet", "2"
    PHONE = "phone", "3"
    DELIVERY = "delivery", "4"
    OUTSIDE = "outside", "5"
    OTHER = "other", "9"
