"""The report: one self-contained HTML page with the scores, errors and utterances of predictions."""
