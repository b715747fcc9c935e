"""The script for fish, 3.0 and later: one `complete` a command, an option or an argument."""

import re
from collections.abc import Iterator
from typing import Final

from brainctl.cli.completion.grammar import Flag, Node, Place, Value, shared_flags

_HEAD: Final = """\
# fish completion for brainctl, printed by `brainctl completion fish`.
# Made from brainctl's commands: change those, not this file.

# Whether an option of a command has a value as the next word.
function __brainctl_takes
    switch "$argv[1] $argv[2]"
        case {patterns}
            return 0
    end
    return 1
end

# Prints the commands that the line names, on the first line, and the number of arguments that follow them.
function __brainctl_walk
    set -l words (commandline -opc)
    set -l path brainctl
    set -l count 0
    set -l ended 0
    set -l pending 0
    for word in $words[2..-1]
        if test $pending = 1
            set pending 0
        else if test $ended = 0; and test "$word" = --
            set ended 1
        else if test $ended = 0; and string match -q -- '--*' "$word"
            if __brainctl_takes "$path" "$word"
                set pending 1
            end
        else if test $ended = 0; and string match -q -- '-?*' "$word"
            set -l letters (string sub -s 2 -- "$word" | string split '')
            for index in (seq_placeholder)
            end
        else
        end
    end
end
"""
