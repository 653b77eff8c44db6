"""Methods: how a result was obtained, in the words of a paper, with references and assumptions."""
