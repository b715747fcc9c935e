from typing import Final

_MONTHS: Final = "january february march april may june july august september october november december"
MONTHS: Final = tuple(_MONTHS.split())
