"""Apps: the programs that people run: the command, the page and the report.

It may import every room but integrations; nothing imports it.
"""
