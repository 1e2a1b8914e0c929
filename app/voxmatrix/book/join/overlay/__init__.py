"""An EPUB 3 with a media overlay: a reader shows the sentence that is being spoken."""
