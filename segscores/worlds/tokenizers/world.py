"""The world of tokenizers, which cut the text of the reference."""

from .encoders import counter_of, reader_of

__all__ = ["counter_of", "reader_of"]
