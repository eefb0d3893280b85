"""The tabs of the demo, one a module; `app.py` puts them together."""
