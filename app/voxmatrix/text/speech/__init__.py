"""What persons say in a text: in quotation marks, behind dashes, and what the narrator says in between."""
