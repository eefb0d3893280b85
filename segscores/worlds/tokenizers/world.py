"""The world of tokenizers, which cut the text of the reference."""

from .encoders import reader_of

__all__ = ["reader_of"]
