"""Files of strangers: what other programs write, as they write it, and what comes out."""
