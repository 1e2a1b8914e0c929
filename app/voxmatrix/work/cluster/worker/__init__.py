"""A worker of a cluster: the process that supervises, the one that runs Celery, and the one that speaks."""
