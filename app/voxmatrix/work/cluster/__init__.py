"""Speech by workers on many computers: Celery carries the work, and one store the audio and the voices."""
