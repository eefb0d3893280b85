"""Listed words: signs that a text has no word of a list as the list has it, and has one in another form."""

from __future__ import annotations

from dataclasses import dataclass

from ..options.messages import Message


@dataclass
class ListedWords:
    """The signs in a piece or a corpus."""

    occur: bool = False  #: a word of the list is in the text
    #: The doubt about the first word that the text has in another form, such as `The` for `the`.
    doubt: Message | None = None

    def add(self, other: ListedWords) -> None:
        """Add the signs in the next piece."""
        self.occur |= other.occur
        self.doubt = self.doubt or other.doubt

    def doubts(self) -> list[Message]:
        """Return the doubt; nothing if a word of the list occurs anywhere, or none has another form."""
        if self.occur or self.doubt is None:
            return []
        return [self.doubt]
