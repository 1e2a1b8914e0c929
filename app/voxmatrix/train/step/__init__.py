"""One adversarial step: gradients, random numbers, out of memory, several devices."""
