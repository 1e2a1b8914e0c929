"""Tables and pages that are generated from other files of the repository."""
