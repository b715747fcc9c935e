import sys

from brainctl.cli.main import main

sys.exit(main())
