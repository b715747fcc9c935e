"""How many connections a process says it has room for. In processes of their own: what they raise stays raised."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")

SCRIPT = """
import resource, sys
soft, hard = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
from brainctl.server.room import connections_most
print(connections_most(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "files"),
    [(256, 900, 300, 900), (900, 900, 300, 900), (256, 18_000, 4000, 12_000), (15_000, 18_000, 4000, 15_000)],
)
def test_a_third_of_the_files_that_can_be_had(soft: int, hard: int, connections: int, files: int) -> None:
    asked = [sys.executable, "-c", SCRIPT, str(soft), str(hard)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert told.split() == [str(connections), str(files)]
