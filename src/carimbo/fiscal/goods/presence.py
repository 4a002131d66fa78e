"""The presence of the buyer at a sale of goods."""

from carimbo.fiscal.body.fields import Coded


class Presence(Coded):
    """The presence of the buyer (`indPres`)."""

    NONE = "none", "0"
    IN_PERSON = "inPerson", "1"
    INTERNET = "internet", "2"
    PHONE = "phone", "3"
    DELIVERY = "delivery", "4"
    OUTSIDE = "outside", "5"
    OTHER = "other", "9"
