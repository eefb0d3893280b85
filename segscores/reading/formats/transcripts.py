"""Subtitles, and transcripts of speech with times or speakers: forms that are known and not read.

The rows are as those of `known`.
"""

from __future__ import annotations

from ...options.messages import Message
from ...options.table import OPTIONS
from . import patterns
from .commands import CHAT_LINES, DIALOGUE, SUBTITLES, by
from .format import Format
from .signs import Signs, find_praat_object

_AS_TIMES = Message("to score its times add ", OPTIONS["text_format"].set("times"), ".")
_OR_TIMES = Message("; ", _AS_TIMES)

#: A row may stand before another that fits its texts too.
TRANSCRIPTS: tuple[Format, ...] = (
    Format("chat", title="CHAT, the format of CHILDES and TalkBank",
        evidence=Signs(has_some_of="@*", some=r"@UTF8\s*$|@Begin\s*$|@Languages:|\*[A-Z0-9]{2,8}:\t",
                       every=r"(\*[A-Z0-9]{1,8}:|%[a-z]+:|@[A-Z]|\t).*").find,
        remedy=by(CHAT_LINES, ", which keeps the lines of all speakers, and the codes within them; the guide "
                              "docs/how-to/child-language.md removes codes, as the program flo of CLAN does."),
        example="@UTF8\n@Begin\n*MOT:\tlook at the dog .\n%mor:\tv|look\n@End\n"),
    Format("srt", title="subtitles (SRT, WebVTT or SBV)",
        evidence=Signs(has=":", some=r"(\d+:)?\d+:\d\d[.,]\d{2,3}( --> |,(\d+:)?\d+:\d\d\.\d{2,3}\s*$)").find,
        remedy=Message(by(SUBTITLES, ", which keeps the lines of text"), _OR_TIMES),
        example="1\n00:00:00,400 --> 00:00:00,700\nthe dog\n\n2\n00:00:00,700 --> 00:00:01,200\nbarks\n"),
    Format("ass", title="subtitles (ASS or SSA)", evidence=Signs(has="[Script Info]", first=r"\[Script Info\]").find,
        remedy=by(DIALOGUE, ", which keeps the lines of text."),
        example="[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, "
        "Text\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,the dog\n"),
    Format("microdvd", title="subtitles (MicroDVD)",
        evidence=Signs(has="}{", fewest=2, every=r"\{(\d+|DEFAULT)\}\{[^}]*\}.*").find,
        remedy=by(r"sed -E '/^[{]DEFAULT[}]|^[{]0[}][{]0[}]|^[{]1[}][{]1[}]/d; s/^[{][^}]*[}][{][^}]*[}]//; s/[|]/ /g'"),
        example="{1}{1}25.0\n{311}{374}the dog\n{374}{463}a|cat\n"),
    Format("mpl2", title="subtitles (MPL2)", evidence=Signs(has="][", fewest=2, every=r"\[\d+\]\[\d*\].*").find,
        remedy=by(r"sed -E 's/^\[[0-9]*\]\[[0-9]*\] *//; s/[|]/ /g'"), example="[124][149] the dog\n[149][185] a|cat\n"),
    Format("tmplayer", title="subtitles (TMPlayer)",
        evidence=Signs(has=":", fewest=2, every=r"\d{1,2}:\d\d:\d\d[:=,](?!\d+:\d).*").find,
        remedy=by("sed -E 's/^[0-9]+:[0-9]+:[0-9]+[:=,]//; s/[|]/ /g'"), example="00:00:12:the dog\n00:00:14:a|cat\n"),
    Format("atf", title="ATF, the format of CDLI and ORACC",
        evidence=Signs(has_some_of="&#@", some=r"&[PQX]\d{5,}|#atf:|@(tablet|obverse|reverse)\s*$", also=r"\d+'?\.\s").find,
        remedy=by(r"sed -n -E 's/^[0-9]+[^.[:space:]]*\.[[:space:]]+//p'", ", which keeps the lines of the text."),
        example="&P388494 = AASOR 16, 015\n#atf: lang akk\n@tablet\n@obverse\n1. ma-ru-ti sza\n2'. a-na pa-ni\n"),
    Format("bracketed_times", title="lines of text after times in brackets (Whisper, LRC)",
        evidence=Signs(has="[", fewest=2, every=patterns.AFTER_TIMES, some=patterns.TEXT_AFTER_TIME).find,
        remedy=by(r"sed -E '/^\[[a-z]+:/d; s/^\[[^]]*\][[:space:]]*//'"),
        example="[00:00.000 --> 00:01.200]  the dog\n[00:01.200 --> 00:02.000]  a cat\n"),
    Format("rttm", title="RTTM of NIST", evidence=Signs(some="[A-Z]", every=rf";;.*|{patterns.RTTM}").find,
        remedy=_AS_TIMES,
        example="SPEAKER rec 1 0.40 0.30 <NA> <NA> s1 <NA> <NA>\n"),
    Format("stm", title="STM of NIST",
        evidence=Signs(fewest=2, every=patterns.STM, some=patterns.TIMES_OF_STM).find,
        remedy=by(r"sed -E '/^;;/d; s/^([^[:space:]]+([[:space:]]+|$)){5}(<[^>]*>[[:space:]]*)?//'", ", which keeps the words."),
        example=";; comment\nrec 1 ann 0.40 1.20 <o,f0,female> the dog\nrec 1 bob 1.20 2.00 <o,f0,male> a cat\n"),
    Format("esps", title="a label file of ESPS (xwaves, Buckeye)",
        evidence=Signs(has="#", some=r"#\s*$", also=r"\s*\d+\.\d+\s+\d+\s+\S").find,
        remedy=_AS_TIMES,
        example="signal rec\ntype 0\ncolor 121\nseparator ;\n#\n    0.400000  121 the; dh ah; DT\n"
        "    0.700000  121 dog; d ao g; NN\n"),
    Format("praat", title="a file of Praat that is no TextGrid",
        evidence=find_praat_object, remedy="in Praat, save the TextGrid as a text file.",
        example='File type = "ooTextFile"\nObject class = "PitchTier"\n\nxmin = 0\n'),
    Format("chronological", title="a chronological TextGrid of Praat",
        evidence=Signs(has='"Praat chronological', first=r'"Praat chronological TextGrid text file"').find,
        remedy="in Praat, save the TextGrid as a text file.",
        example='"Praat chronological TextGrid text file"\n0 2.3   ! Time domain.\n1   ! Number of tiers.\n'
        '"IntervalTier" "words" 0 2.3\n\n1 0 1\n"the"\n1 1 2.3\n"dog"\n'),
    Format("est", title="a file of Festival (Edinburgh Speech Tools)",
        evidence=Signs(has="EST_File", first="EST_File ").find,
        remedy=Message("in Festival, (utt.save.words utterance FILE) writes the words and their times", _OR_TIMES),
        example="EST_File utterance\nDataType ascii\nversion 2\nEST_Header_End\n1 id _1 ; name the ; \n"),
    Format("eaf", title="ELAN", evidence=Signs(has="<ANNOTATION_DOCUMENT", some=r".*<ANNOTATION_DOCUMENT\b").find,
        remedy=Message("in ELAN, export it as text (File, Export As)", _OR_TIMES),
        example='<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="">\n<TIER TIER_ID="words"/>\n'
        "</ANNOTATION_DOCUMENT>\n"),
    Format("transcriber", title="a transcription in XML (Transcriber, EXMARaLDA)",
        evidence=Signs(has="<", some=r".*<(Trans|basic-transcription|annotation-document)\b").find,
        remedy="in the program, export it as a Praat TextGrid, or as plain text.",
        example='<?xml version="1.0"?>\n<!DOCTYPE Trans SYSTEM "trans-14.dtd">\n<Trans scribe="ann"><Episode/></Trans>\n'),
)  # fmt: skip
