"""The programs that people run: the command, the page and the report.

They may import everything; nothing imports them.
"""
