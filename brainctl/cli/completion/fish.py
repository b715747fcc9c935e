"""The script for fish, 3.2 and later: one `complete` a command, an option or an argument."""

from typing import Final

from brainctl.cli.grammar import Flag, Node, Value, shared_flags

_HEAD: Final = r"""# fish completion for brainctl, printed by `brainctl completion fish`.
# Made from brainctl's commands: change those, not this file.

# Whether the value of an option of a command is the next word.
function __brainctl_takes
    switch "$argv[1] $argv[2]"
%s            return 0
    end
    return 1
end

# Reads the words before the cursor: the commands they name, how many arguments follow, and the environment.
function __brainctl_read
    set -l words (commandline -opc)
    # Every condition below asks; a line is read once.
    set -l line (string join \x1f -- $words | string collect)
    test "$line" = "$__brainctl_line"; and return
    set -g __brainctl_line $line
    set -g __brainctl_program $words[1]
    set -g __brainctl_path brainctl
    set -g __brainctl_count 0
    set -g __brainctl_environment
    set -l paths %s
    set -l ended
    set -l pending
    for word in $words[2..-1]
        if set -q pending[1]
            contains -- $pending --env -e; and set __brainctl_environment $word
            set pending
        else if set -q ended[1]; or not string match -q -- '-?*' $word
            if test $__brainctl_count -eq 0; and contains -- "$__brainctl_path $word" $paths
                set __brainctl_path "$__brainctl_path $word"
                set ended
            else
                set __brainctl_count (math $__brainctl_count + 1)
            end
        else if test $word = --
            set ended 1
        else if string match -q -- '--env=*' $word
            set __brainctl_environment (string replace -- --env= '' $word)
        else if string match -q -- '--*' $word
            __brainctl_takes $__brainctl_path $word; and set pending $word
        else
            set -l letters (string split '' -- (string sub -s 2 -- $word))
            while set -q letters[1]
                set -l option -$letters[1]
                set -e letters[1]
                if __brainctl_takes $__brainctl_path $option
                    set -q letters[1]; or set pending $option
                    test $option = -e; and set -q letters[1]; and set __brainctl_environment (string join '' $letters)
                    set letters
                end
            end
        end
    end
end

# Whether the next word stands below these commands; and if a place is given, whether it is that argument.
function __brainctl_at
    __brainctl_read
    test "$__brainctl_path" = $argv[1]; or return 1
    switch "$argv[2]"
        case ''
            return 0
        case '*+'
            test $__brainctl_count -ge (string replace + '' $argv[2])
        case '*'
            test $__brainctl_count -eq $argv[2]
    end
end

# Prints what only brainctl knows. Whatever would need quoting is passed over.
function __brainctl_ask
    __brainctl_read
    set -l program (string replace -r '^~/' "$HOME/" -- $__brainctl_program)
    command -q $program; or set program brainctl
    command -q $program; or return
    set -l environment
    test -n "$__brainctl_environment"; and set environment --env $__brainctl_environment
    set -l typed (commandline -ct | string replace -r '^(--[a-z-]+=|-[A-Za-z])' '' | string trim -l -c '"\'')
    command $program __complete $argv[1] $environment "$typed" 2>/dev/null </dev/null \
        | string match -r '^[A-Za-z0-9_/-]+$'
end

complete -c brainctl -e
complete -c brainctl -f
"""


def script(root: Node) -> str:
    """The whole script, with one line end at its end."""
    shared = shared_flags(root)
    own = {node: [flag for flag in node.flags if flag not in shared] for node in root.walk()}
    takes = [f"'* {name}'" for flag in shared if flag.value for name in flag.names]
    for node, flags in own.items():
        takes += [f"'{_path(node)} {name}'" for flag in flags if flag.value for name in flag.names]
    paths = " ".join(f"'{_path(node)}'" for node in root.walk() if len(node.path) > 1)
    lines = [_HEAD % ("".join(f"        case {each}\n" for each in [" ".join(takes)]), paths)]
    lines += [f"complete -c brainctl {_flag(flag)}\n" for flag in shared]
    for node in root.walk():
        lines += [f"complete -c brainctl -n {_at(node, '')} {_flag(flag)}\n" for flag in own[node]]
        lines += [
            f"complete -c brainctl -n {_at(node, '0')} -a {child.name} -d {_quoted(child.summary)}\n"
            for child in node.children
        ]
        for number, place in enumerate(node.places):
            if place.value.kind != "text":
                at = _at(node, f"{number}+" if place.repeated else str(number))
                lines.append(f"complete -c brainctl -n {at} {_candidates(place.value)}\n")
    return "".join(lines)


def _path(node: Node) -> str:
    return " ".join(node.path)


def _at(node: Node, place: str) -> str:
    return _quoted(f'__brainctl_at "{_path(node)}" {place}'.rstrip())


def _flag(flag: Flag) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    value = f" -r {_candidates(flag.value)}" if flag.value is not None else ""
    return f"{names}{value} -d {_quoted(flag.help)}"


def _candidates(value: Value) -> str:
    """How `complete` is told what may stand there."""
    if value.kind == "files":
        return "-F"
    if value.kind == "folders":
        return "-f -a '(__fish_complete_directories)'"
    if value.kind == "choices":
        return f"-f -a '{' '.join(value.choices)}'"
    if value.asked:
        keep = " -k" if value.kind == "answers" else ""
        return f"-f{keep} -a '(__brainctl_ask {value.kind})'"
    return "-f"


def _quoted(text: str) -> str:
    """In fish's single quotes a backslash stands for itself, but before a quote or another."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
