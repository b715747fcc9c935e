"""The verbs that end a subject or follow a name, in the forms they do it in."""

from typing import Final

from brainctl.engine.capture.lexicon import listed

AUXILIARIES: Final = listed(
    """
    is are was were am be been being has have had does do did can could may might must shall should will would cannot
    isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt cant couldnt mustnt shouldnt wont wouldnt im ive
    """
)

FINITE: Final = AUXILIARIES | listed(
    """
    accepts added adds agreed agrees allowed allows answered answers applies applied apply arrive arrived arrives ask
    asked asks attended attends became become becomes begin begins belong belongs booked bought bring brings broke
    brought buys called calls came cancelled canceled cancels care cares cause causes change changed changes charge
    charged charges chose chooses choose closed closes close come comes complained complains complain confirm
    confirmed confirms contain contains cost costs count counts cover covers decided decides declined declines deliver
    delivered delivers depends drink drinks earn earned earns eat eats end ended ends enjoys expect expects expire
    expires failed fails fell felt find finds finish finished finishes forgot found gave get gets gives give go goes
    got handled handles hates held help helps hired hold holds include included includes insists invited joined joins
    keep keeps kept knows last lasts leads learned leave leaves left like likes lives lost loved loves made make makes
    manage manages means meet meets met missed moved moves need needed needs offer offered offers open opened opens
    ordered orders owe owed owes owns paid pay pays phoned pick picks prefer preferred prefers promised promises
    provide provides put quit ran read receive received receives refused refuses remain remains rented reported
    reports requested requests require required requires resigned returned returns run runs said saw say says seat
    seats seem seems sell sells send sends sent serve served serves ship shipped ships sign signed signs sits sold
    speaks spent spoke start started starts stay stayed stays stop stopped stops supplies supply supports take takes
    talked teaches tell tells thinks told took travels tries turned understands use used uses visited visits wait
    waits want wanted wants went wish wishes won work worked works wrote arranged claims claimed hopes hoped plans
    planned replied replies emailed texted married divorced died turns studies stinks lied lies smells threatened
    threatens hesitates begged begs apologised apologized forfeits forfeit expired retired reschedules rescheduled
    postponed postpones reaches reached trains trained hangs hung switched switches suffers suffered wear wears worn dislikes disliked haggles haggled argued argues
    """
)
"""Forms that a sentence's subject can be followed by."""

ALSO_NOUNS: Final = listed(
    """
    answers books calls change changes charge charges claims close cost costs count counts cover covers end ends
    finish help like last lead leads leaves need needs offer offers open opens order orders pick picks plans reports
    requests returns run runs seat seats ships sign signs start starts stay stays stop stops supplies supply supports
    use uses visit visits wait wish work works wishes care cause causes moves turns turned studies lies drink drinks
    drive hold holds replies loves forfeit
    """
)

PERSONAL: Final = listed(
    """
    is was has hasnt isnt wasnt said says asked asks wants wanted likes liked prefers preferred called calls emailed
    texted cancelled canceled confirmed complained complains owes owed paid pays booked ordered wrote told hates loves
    loved needs needed moved lives works worked thinks knows agreed refused promised insists hopes joined left quit
    earns married divorced died got came went gave took bought brought sent signed met replied forgot lost missed
    speaks doesnt didnt cant wont does did had lied lies threatened begged apologised apologized haggles haggled argued
    rescheduled postponed dislikes enjoys expects requested received returned chose decided declined invited visited
    """
)
"""Forms that, straight after a word, say that the word may be somebody's name."""

CONTROL: Final = listed(
    """
    agreed decided want wants wanted plan plans planned need needs needed try tries tried start stop keep begin going
    intend aim chose
    """
)
"""Verbs that stand before the verb that matters."""
