"""Methods: how a result was obtained, as a paper tells it, with references and assumptions."""
