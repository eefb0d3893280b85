"""What a Space starts: the demo. Here: `python app.py`."""

from segscores.apps.demo.serve import serve

if __name__ == "__main__":
    serve()
