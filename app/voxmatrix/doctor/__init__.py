"""The examination of a computer: facts, verdicts, smoke test, findings. torch is imported only in a child process."""
