"""The people of a book: who they are, what each of them says, and with which voice."""
