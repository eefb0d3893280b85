"""Documents: utterances of several sentences, CoNLL-U, and the scores of sentences and of syntactic words."""
