"""Laws: the random weights of the units under a bootstrap, a random exchange of the systems, a jackknife."""
