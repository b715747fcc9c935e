"""English words whose other forms no ending tells of: a question with `buy` is answered by a fact with `bought`.

Forms that are common words of their own (rose, saw, bit, fell, lay) are left out.
"""

from typing import Final

_FORMS: Final = """
    go went gone, buy bought, take took taken, make made, get got gotten, see seen, give gave given, find found,
    tell told, say said, know knew known, think thought, come came, feel felt, bring brought, begin began begun,
    keep kept, hold held, write wrote written, stand stood, hear heard, meet met, run ran, pay paid, sit sat,
    speak spoke spoken, lead led, grow grew grown, lose lost, send sent, build built, draw drew drawn,
    understand understood, break broke broken, spend spent, rise risen, drive drove driven, wear wore worn,
    choose chose chosen, eat ate eaten, win won, catch caught, teach taught, sell sold, fly flew flown,
    swim swam swum, sing sang sung, drink drank drunk, ride rode ridden, sleep slept, fight fought,
    throw threw thrown, shake shook shaken, steal stole stolen, forget forgot forgotten, hide hid hidden,
    wake woke woken, bite bitten, blow blew blown, dream dreamt, learn learnt, burn burnt, freeze froze frozen,
    ring rang rung, seek sought, shoot shot, show shown, sink sank sunk, strike struck, swear swore sworn,
    tear tore torn, dig dug, hang hung, feed fed, bend bent, lend lent, deal dealt, mean meant, light lit,
    slide slid, stick stuck, sweep swept, leave left, forbid forbade forbidden, forgive forgave forgiven,
    overcome overcame, become became, undertake undertook undertaken, withdraw withdrew withdrawn, rebuild rebuilt,
    child children, man men, woman women, foot feet, tooth teeth, mouse mice, wife wives,
    knife knives, half halves, shelf shelves, loaf loaves, person people
    """
PLAIN: Final[dict[str, str]] = {
    form: forms[0] for forms in map(str.split, _FORMS.split(",")) for form in forms[1:]
}
"""The plain form of each other form."""
