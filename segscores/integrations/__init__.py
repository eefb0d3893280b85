"""Adapters: the scores in frameworks that evaluate models, one module for each.

Each module imports its framework. `import segscores` imports none of them.
"""
