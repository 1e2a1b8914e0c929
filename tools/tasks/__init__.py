"""What the tasks of noxfile.py share."""
