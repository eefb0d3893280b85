"""Tokenizers: texts as a tokenizer cuts them, and the scores of tokens of words."""
