"""What kernix does for torch beyond taking its tensors. Imported when a call needs it; torch is imported by then."""
