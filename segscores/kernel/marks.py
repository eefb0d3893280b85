"""Marks: the signs with which displays show the boundaries of two sides."""

MATCHED = "|"  #: a boundary of both sides
MISSED = "+"  #: a boundary of the reference alone
WRONG = "−"  #: a boundary of the prediction alone
