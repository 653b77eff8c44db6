"""The audit: how often do significance tests raise a false alarm, on populations of real predictions."""
