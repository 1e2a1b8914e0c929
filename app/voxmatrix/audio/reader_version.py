"""A part of the key of everything that is kept of a sound file after it was read. Importing it imports no numpy."""

#: Raise it when a file may be read otherwise than before: what was read of any file is then read again.
#: 2: a file that was joined from several is read to its end.
READER_VERSION = 2
