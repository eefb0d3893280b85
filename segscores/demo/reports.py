"""Reports: the analysis of what a visitor gave, as the report shows it, for the tabs Score and Compare and for download."""

from __future__ import annotations

from collections.abc import Sequence

from ..report.contents import Names, analyse_texts
from ..report.page import Report
from ..scoring.signature import signed_skipped
from ..sources.names import short_names
from ..statistics.corpus_scores import split_options
from ..statistics.signing import sign_comparison, signature
from .boxes import Inputs


def report_of(inputs: Inputs, names: Sequence[str] = ()) -> Report:
    """The report of the predictions; each has its name, or the short name of its file, as in the command."""
    options = inputs.options
    reference, *predictions = inputs.files.values()
    if options.get("confidence") is not None:
        inputs.check_resampling(len(predictions), options.get("n_resamples", 1000))
    paths = inputs.paths
    short = short_names([*paths.values()])
    names = [short[0], *(names or short[1:])]
    named = dict(zip(names[1:], predictions, strict=True))
    plan, resampling, _ = split_options(options)
    found = analyse_texts(reference, named, plan, resampling)
    if found.comparison is None:
        signed = signature(reference, **options)
    else:
        signed = sign_comparison(reference, found.comparison, **options)
    skipped = signed_skipped(each.tally.skipped for each in found.analysed.values())
    if skipped and found.comparison is None:
        before, _, after = signed.rpartition("|n:")
        signed = f"{before}|skipped:{skipped['skipped']}|n:{after}"
    noun = "sentence" if reference.is_conllu("") else "line"
    file = inputs.paths["reference"]
    others = [each.given or f"{file}, column {each.column}" for each in predictions]
    return Report(
        found, Names(names[0], file, dict(zip(names[1:], others, strict=True)), noun), of_files(inputs, signed)
    )


def of_files(inputs: Inputs, signature: str) -> str:
    """The signature that the command prints, which has the form of all files."""
    all_conllu = all(file.is_conllu("") for file in inputs.files.values())
    return signature if all_conllu else signature.replace("|text:conllu|", "|text:words|", 1)
