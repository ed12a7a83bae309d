"""Other people's vocabularies, spoken by clients that exist already."""
