"""Assigns the types of a project's ontology to the entities and facts of an episode."""

from recollect.extract.ontology.classify import Classifier

__all__ = ["Classifier"]
