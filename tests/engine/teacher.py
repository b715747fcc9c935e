"""A program that teaches a brain five times over, and prints how many facts were created and skipped."""

TEACHER = """
import sys
from brainctl.engine.local_brain import open_brain

address, secret, number = sys.argv[1:]
with open_brain(address, secret) as brain:
    for turn in range(5):
        reply = brain.teach({"facts": [
            {"text": f"The lantern numbered {number}x{turn} hangs in hall {number}."},
            {"text": "Every hall closes at midnight."},
        ]})
        assert reply["accepted_fact_count"] == 2, reply
        brain.search({"query": "lantern"})
    print(reply["created"], reply["skipped"])
"""
