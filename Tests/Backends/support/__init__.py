"""What the backends and clients of this folder share."""
