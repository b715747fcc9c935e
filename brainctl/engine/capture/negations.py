"""The words that say "not"."""

from typing import Final

from brainctl.engine.capture.lexicon import listed

NEGATIONS: Final = listed(
    """
    not no never cannot without nor neither none non nonrefundable dont doesnt didnt isnt arent wasnt werent cant
    couldnt wont wouldnt shouldnt mustnt hasnt havent hadnt
    """
)
DENIED: Final = {
    "nonrefundable": ("refundable",),
    **dict.fromkeys(("cant", "cannot", "couldnt"), ("can",)),
    "mustnt": ("must",),
    "shouldnt": ("should",),
}
"""What a word denies that says "not" and more."""
_AUXILIARIES: Final = listed("do does did")


def affirmed(words: list[str]) -> list[str]:
    """The words without what says "not", and without the "do" that it needs: "we do not allow" becomes "we allow"."""
    kept: list[str] = []
    for word in words:
        if word in NEGATIONS:
            if kept and kept[-1] in _AUXILIARIES:
                kept.pop()
            kept += DENIED.get(word, ())
        else:
            kept.append(word)
    return kept
