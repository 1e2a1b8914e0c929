"""The selected device in torch: opening it, child processes on it, and out-of-memory errors."""
