"""The demo, which a Space starts. Here: `python app.py`."""

if __name__ == "__main__":
    # The processes that compute answers import this file too, and need no server.
    from segscores.apps.demo.port import read_port

    read_port()  # before gradio is imported, which reads it too

    from segscores.apps.demo.serve import serve

    serve()
