"""Ontologies of several trades, as projects would write them."""

from recollect.records.guidance import Ontology
from tests.unit.extract.told import decimal, edge_type, entity_type, text, whole, yes_or_no

FOOD = Ontology(
    entity_types=(
        entity_type(
            "Restaurant",
            "Represents a specific restaurant.",
            text(
                "cuisine_type",
                "The cuisine type of the restaurant, for example: American, Mexican, Indian, etc.",
            ),
            text(
                "dietary_accommodation",
                "The dietary accommodation of the restaurant, if any, for example: "
                "vegetarian, vegan, etc.",
            ),
        ),
        entity_type(
            "Audiobook",
            "Represents an audiobook entity.",
            text(
                "genre",
                "The genre of the audiobook, for example: self-help, fiction, nonfiction, etc.",
            ),
        ),
    ),
    edge_types=(
        edge_type(
            "RESTAURANT_VISIT",
            "Represents the fact that the user visited a restaurant.",
            text("restaurant_name", "The name of the restaurant the user visited"),
            ends=(("User", "Restaurant"),),
        ),
        edge_type(
            "AUDIOBOOK_LISTEN",
            "Represents the fact that the user listened to or played an audiobook.",
            text("audiobook_title", "The title of the audiobook the user listened to or played"),
            ends=(("User", "Audiobook"),),
        ),
        edge_type(
            "DIETARY_PREFERENCE",
            "Represents the fact that the user has a dietary preference or dietary restriction.",
            text(
                "preference_type",
                "Preference type of the user: anything, vegetarian, vegan, peanut allergy, etc.",
            ),
            yes_or_no(
                "allergy",
                "Whether this dietary preference represents a user allergy: True or false",
            ),
            ends=(("User", None),),
        ),
    ),
)

GARAGE = Ontology(
    entity_types=(
        entity_type(
            "Vehicle",
            "A car, truck, or motorcycle.",
            text("color", "The color of the vehicle"),
            whole("mileage", "How far it has been driven, in miles"),
            whole("model_year", "The year in which it was built"),
            yes_or_no("electric", "Whether it is an electric vehicle"),
        ),
    ),
    edge_types=(
        edge_type(
            "OWNS_VEHICLE",
            "A person owns or drives a vehicle.",
            decimal("price", "What was paid for it, in dollars"),
            ends=(("User", "Vehicle"),),
        ),
    ),
)

CLINIC = Ontology(
    entity_types=(
        entity_type("Medication", "A drug or medicine that a patient takes."),
        entity_type("Symptom", "A health complaint such as headache, nausea or fatigue."),
        entity_type("Doctor", "A physician who treats the user."),
    ),
    edge_types=(
        edge_type(
            "TAKES",
            "The patient takes a medication.",
            whole("dosage_mg", "Dosage in milligrams"),
            text("frequency", "How often it is taken"),
            ends=(("User", "Medication"),),
        ),
        edge_type(
            "SUFFERS_FROM",
            "The user suffers from a symptom.",
            ends=(("User", "Symptom"),),
        ),
    ),
)

OFFICE = Ontology(
    entity_types=(
        entity_type(
            "Project",
            "A software project or initiative at work.",
            text("status", "Where the project stands"),
        ),
        entity_type("Company", "A business organization."),
    ),
    edge_types=(
        edge_type(
            "WORKS_ON",
            "Someone contributes to a project or leads it.",
            text("project_name", "The name of the project"),
            ends=((None, "Project"),),
        ),
        edge_type("EMPLOYED_BY", "Someone works at a company.", ends=((None, "Company"),)),
    ),
)

LEISURE = Ontology(
    entity_types=(
        entity_type("Book", "A book the user has read or wants to read."),
        entity_type(
            "Destination", "A travel destination such as a city, a country, region or landmark."
        ),
        entity_type("Pet", "An animal that lives with the user.", text("species", "What it is")),
    ),
    edge_types=(
        edge_type(
            "READ_BOOK",
            "The user has read a book.",
            text("book_title", "The title of the book"),
            decimal("rating", "How the user rated it, out of 5"),
            ends=(("User", "Book"),),
        ),
        edge_type(
            "TRAVEL",
            "The user traveled to a destination or plans a trip there.",
            text("season", "The season of the trip"),
            whole("number_of_days", "How many days the trip took"),
            ends=(("User", "Destination"),),
        ),
    ),
)

SHOP = Ontology(
    entity_types=(
        entity_type(
            "Product",
            "An item sold in our shop, such as shoes, jackets or backpacks.",
            text("brand", "The brand of the product, e.g. Nike, Adidas, Patagonia"),
            text("color", "The color of the product"),
        ),
    ),
    edge_types=(
        edge_type(
            "PURCHASED",
            "The customer bought a product.",
            decimal("price", "Price paid"),
            text("size", "Size that was bought, e.g. S, M, L, XL"),
            ends=(("User", "Product"),),
        ),
        edge_type(
            "RETURNED",
            "The customer returned or gave back a product.",
            text("reason", "Why it was returned, for example: too small, defective"),
            ends=(("User", "Product"),),
        ),
    ),
)

CAMPUS = Ontology(
    entity_types=(
        entity_type("Course", "A university course or class the student attends."),
        entity_type("University", "A university or college."),
    ),
    edge_types=(
        edge_type(
            "ENROLLED_IN",
            "The student takes or is enrolled in a course.",
            whole("credits", "Number of credits"),
            ends=(("User", "Course"),),
        ),
        edge_type(
            "STUDIES_AT", "The student attends a university.", ends=(("User", "University"),)
        ),
    ),
)

HOMES = Ontology(
    entity_types=(
        entity_type(
            "Property",
            "A house or apartment for sale or rent.",
            whole("bedrooms", "Number of bedrooms"),
            decimal("price", "Asking price in dollars"),
        ),
    ),
    edge_types=(
        edge_type(
            "VIEWED",
            "The buyer visited or toured a property.",
            ends=(("User", "Property"),),
        ),
        edge_type(
            "BUDGET",
            "The buyer states how much money they can spend.",
            decimal("amount", "The maximum amount in dollars"),
            ends=(("User", None),),
        ),
    ),
)

CONCERTS = Ontology(
    entity_types=(
        entity_type("Artist", "A musician, singer or band."),
        entity_type("Instrument", "A musical instrument the user plays."),
    ),
    edge_types=(
        edge_type("LISTENS_TO", "The user listens to an artist.", ends=(("User", "Artist"),)),
        edge_type("PLAYS", "The user plays a musical instrument.", ends=(("User", "Instrument"),)),
    ),
)

SUPPORT = Ontology(
    entity_types=(
        entity_type("Device", "An electronic device the customer uses, e.g. a phone or a laptop."),
        entity_type("Issue", "A technical problem the customer reports."),
    ),
    edge_types=(
        edge_type(
            "HAS_ISSUE",
            "The customer reports a technical problem.",
            yes_or_no("urgent", "Whether the problem is urgent"),
            ends=(("User", None),),
        ),
        edge_type("USES_DEVICE", "The customer uses a device.", ends=(("User", "Device"),)),
    ),
)

GARDEN = Ontology(
    entity_types=(
        entity_type(
            "Plant",
            "A plant, flower or tree in the user's garden.",
            text(
                "sunlight", "How much light it needs, for example: full sun, shade, partial shade"
            ),
        ),
        entity_type("GardenTool", "A tool used for gardening."),
    ),
    edge_types=(
        edge_type("GROWS", "The user grows or planted a plant.", ends=(("User", "Plant"),)),
        edge_type(
            "WATERS",
            "How often the user waters a plant.",
            text("frequency", "how often"),
            ends=(("User", "Plant"),),
        ),
    ),
)
FIT = Ontology(
    entity_types=(
        entity_type("Workout", "A physical exercise or sport session."),
        entity_type("Goal", "A fitness goal the user wants to reach."),
    ),
    edge_types=(
        edge_type(
            "DID_WORKOUT",
            "The user did a workout.",
            whole("duration_minutes", "Duration in minutes"),
            decimal("distance_km", "Distance in kilometers"),
            ends=(("User", "Workout"),),
        ),
        edge_type(
            "INJURY",
            "The user has an injury or pain.",
            text("body_part", "Where it hurts, e.g. knee, back, shoulder"),
        ),
    ),
)
SALES = Ontology(
    entity_types=(
        entity_type("Competitor", "A company that competes with us."),
        entity_type("Contact", "A person at a customer's company."),
        entity_type("Feature", "A feature of our software that the customer asks about."),
    ),
    edge_types=(
        edge_type(
            "REQUESTED_FEATURE", "The customer asked for a feature.", ends=((None, "Feature"),)
        ),
        edge_type(
            "CONTRACT_VALUE",
            "States how much the contract is worth.",
            decimal("amount", "Amount in dollars"),
        ),
    ),
)
MEDIA = Ontology(
    entity_types=(
        entity_type(
            "Movie",
            "A film the user watched or wants to watch.",
            text("genre", "Genre of the movie, e.g. horror, comedy, drama"),
        ),
        entity_type("TVShow", "A television series."),
    ),
    edge_types=(
        edge_type(
            "WATCHED",
            "The user watched a movie or show.",
            decimal("score", "Score out of 10"),
            ends=(("User", "Movie"), ("User", "TVShow")),
        ),
    ),
)
