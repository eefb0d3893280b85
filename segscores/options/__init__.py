"""The options of every task: what they mean, which values they have, and what they are called on each surface.

`table` lists them, `tasks` says which task has which. A surface takes names, checks, defaults and descriptions from here. The
folder imports neither numpy nor argparse, so that the command's help is quick.

It may import the names, messages and quoting of support.
"""
