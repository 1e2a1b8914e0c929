"""Written text to the words that are spoken: numbers, dates, money, abbreviations."""
