"""Options: what can be asked for, which values are allowed, and how messages name them.

`table` lists every option, `tasks` says which task has which, `keywords` repeats the names for type checkers, `kinds`
and `option` check values, and `messages` and `errors` write errors in which each surface names options in its own way.

It may import no other room, neither numpy nor argparse, so that the command's help is quick.
"""
