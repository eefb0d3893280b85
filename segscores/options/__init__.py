"""Options: what can be asked for, which values are allowed, and how messages name them.

`table` lists every option, with `of_outputs` and `of_recordings`, and says which function has which; `tasks` says which
subcommand has which; `kinds`, `file_kinds` and `option` check values; and `messages` and `errors` write errors in which each
surface names options in its own way. `keywords` and `values` are written from the table, for type checkers.

It may import no other room, neither numpy nor argparse, so that the command's help is quick.
"""
