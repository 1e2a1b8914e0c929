"""All families of voices together: finding a voice, opening it, keeping it open."""
