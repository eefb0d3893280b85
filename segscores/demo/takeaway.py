"""Takeaway: what a visitor takes along: files to download, and lines to copy."""

from __future__ import annotations

__all__ = ["command_options", "copyable", "downloads", "plain"]

import math
from collections.abc import Mapping
from html import escape
from shlex import quote as quote_for_shell
from typing import Any
from urllib.parse import quote


def downloads(files: Mapping[str, tuple[str, str]]) -> str:
    """Links that hold files themselves, so that nothing of a visitor's is kept.

    Args:
        files: by name their MIME type and text.
    """
    links = "".join(
        f'<a download="{escape(name)}" href="data:{kind};charset=utf-8,{quote(content)}">'
        f"Download {escape(name.rpartition('.')[2].upper())}</a>"
        for name, (kind, content) in files.items()
    )
    return f"<div class=save>{links}</div>"


def copyable(lines: Mapping[str, str]) -> str:
    """Lines with a button for each that copies them; the element around needs `page.COPY_SCRIPT`.

    Args:
        lines: by title.
    """
    return "".join(
        f"<h2>{escape(title)}</h2><div><pre tabindex=0>{escape(text)}</pre>"
        f"<button type=button class=copy>Copy {escape(title)}</button></div>"
        for title, text in lines.items()
    )


def command_options(form: Any, options: Mapping[str, Any]) -> list[str]:
    """What the command is told so that it reads and scores as the page does.

    Args:
        form: how the texts were read, a `texts.TextForm`.
        options: of the scoring.
    """
    told = [] if form.text_format == "words" else [f"--text-format {form.text_format}"]
    if "word_boundary" in options:
        told.append(f"--word-boundary {quote_for_shell(form.word_boundary)}")
    told += [f"--ignored-tokens {quote_for_shell(token)}" for token in options.get("ignored_tokens", ())]
    told.append(f"--scores {','.join(options['scores'])}")
    told += [f"--confidence {options['confidence']:g}"] if "confidence" in options else []
    return told + ([f"--resamples {options['n_resamples']}"] if "n_resamples" in options else [])


def plain(value: Any) -> Any:
    """A value as JSON has it: nan and the infinities, which it does not have, become None."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
