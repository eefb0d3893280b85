"""Times: recordings, whose words have starts and ends in seconds."""
