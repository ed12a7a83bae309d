"""The types of a project's ontology, given to what an episode says."""

from recollect.extract.ontology.classify import Classifier

__all__ = ["Classifier"]
