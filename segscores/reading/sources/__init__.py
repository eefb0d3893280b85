"""Sources: files, tables, datasets and collections as streams of utterances, and the sides that they are columns of."""
