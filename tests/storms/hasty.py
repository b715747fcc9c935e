"""brainctl whose runs are given up after eight seconds without a sign of life, where people wait for half a minute."""

import sys

from brainctl.engine.answers import runs

runs.Pace.__new__.__defaults__ = (*runs.Pace(lease=8.0, beat=0.5, patience=4.0, look=0.1),)

if __name__ == "__main__":
    from brainctl.cli.main import main

    sys.exit(main())
