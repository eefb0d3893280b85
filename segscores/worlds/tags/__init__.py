"""Tags: words with a tag each, formats that have them, and the scores of words with their tags."""
