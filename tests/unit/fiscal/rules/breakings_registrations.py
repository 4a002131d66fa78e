"""What breaks the rules of state registrations."""

from unit.fiscal.rules.breaking import Breaking

BREAKINGS: tuple[Breaking, ...] = (
    Breaking("209", "company.stateRegistrations", company={"stateRegistrations[0].number": "110042490115"}),
    Breaking(
        "210",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        {"recipient.stateRegistration": "110042490115"},
    ),
)
