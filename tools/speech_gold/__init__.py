"""Speech in paragraphs of novels, marked by hand, and how well the program finds it."""
