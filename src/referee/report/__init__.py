"""Reports: a result in, a string out. Nothing is computed here; text, Markdown and LaTeX share their words."""
