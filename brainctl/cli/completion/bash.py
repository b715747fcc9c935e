"""The script for bash, 3.2 (the one of macOS) and later."""

from collections.abc import Iterable, Iterator
from typing import Final

from brainctl.cli.grammar import Flag, Node, shared_flags

_HEAD: Final = """\
# bash completion for brainctl, printed by `brainctl completion bash`.
# Made from brainctl's commands: change those, not this file.

# Sets what stands below a command: its commands, its options, and what its arguments are.
_brainctl_at() {
    commands='' options='' places=''
    case $1 in
"""

_TAKES: Final = """\
    esac
}

# Sets what follows an option of a command; nothing where it takes no value.
_brainctl_takes() {
    value=''
    case "$1 $2" in
"""

_TAIL: Final = r"""    esac
}

# Adds those of the given words that go on from what was typed.
_brainctl_add() {
    local word
    for word in $1; do
        if [[ $word == "$current"* ]]; then COMPREPLY+=("$prefix$word"); fi
    done
}

# Adds the paths that go on from what was typed; readline does it better where it can be asked to.
_brainctl_add_paths() {
    local path
    if [[ -z $prefix ]] && compopt -o "$1" 2>/dev/null; then return; fi
    while IFS= read -r path; do
        if [[ -n $path ]]; then COMPREPLY+=("$prefix$path"); fi
    done <<< "$(compgen "$2" -- "$current")"
}

# Adds what only brainctl knows. No shell need quote it: whatever else comes is passed over.
_brainctl_ask() {
    local found
    program=${program/#\~\//$HOME/}
    type -P -- "$program" >/dev/null 2>&1 || program=brainctl
    if [[ $1 == answers ]]; then compopt -o nosort 2>/dev/null; fi
    while IFS= read -r found; do
        if [[ -n $found && $found == "$current"* && $found != *[!A-Za-z0-9_/-]* ]]; then
            COMPREPLY+=("$prefix$found")
        fi
    done <<< "$("$program" __complete "$1" ${environment:+--env "$environment"} "$current" 2>/dev/null </dev/null)"
}

_brainctl() {
    local IFS=$' \t\n' program=$1 current prefix='' commands options places value environment=''
    local line=$COMP_LINE before word letters path=brainctl pending='' ended='' count=0 index
    local -a words
    COMPREPLY=()
    # bash cuts words at = and : as well; what no blank parts is one word.
    words=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        before=${line%%"$word"*}
        line=${line#"$before$word"}
        if [[ index -gt 0 && -n $word && -z $before ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words[${#words[@]}]=$word
        fi
    done
    _brainctl_at "$path"
    for ((index = 1; index < ${#words[@]} - 1; index++)); do
        word=${words[index]#[\"\']}
        word=${word%[\"\']}
        if [[ -n $pending ]]; then
            if [[ $pending == environments ]]; then environment=$word; fi
            pending=''
        elif [[ -n $ended || $word != -?* ]]; then
            if [[ -z $commands ]]; then
                count=$((count + 1))
            elif [[ " $commands " == *" $word "* ]]; then
                path="$path $word" ended='' count=0
                _brainctl_at "$path"
            else
                return 0
            fi
        elif [[ $word == -- ]]; then
            ended=1
        elif [[ $word == --*=* ]]; then
            _brainctl_takes "$path" "${word%%=*}"
            if [[ $value == environments ]]; then environment=${word#*=}; fi
        elif [[ $word == --* ]]; then
            _brainctl_takes "$path" "$word"
            pending=$value
        else
            letters=${word#-}
            while [[ -n $letters ]]; do
                _brainctl_takes "$path" "-${letters:0:1}"
                letters=${letters:1}
                if [[ -n $value ]]; then
                    if [[ -z $letters ]]; then pending=$value; fi
                    if [[ $value == environments ]]; then environment=$letters; fi
                    letters=''
                fi
            done
        fi
    done
    current=${words[${#words[@]} - 1]#[\"\']}
    value=''
    if [[ -n $pending ]]; then
        value=$pending
    elif [[ -z $ended && $current == --*=* ]]; then
        _brainctl_takes "$path" "${current%%=*}"
        # Where = parts words, readline replaces only what follows it.
        if [[ $COMP_WORDBREAKS != *=* ]]; then prefix=${current%%=*}=; fi
        current=${current#*=}
        current=${current#[\"\']}
    elif [[ -z $ended && $current == -* ]]; then
        _brainctl_add "$options"
        return 0
    elif [[ -n $commands ]]; then
        _brainctl_add "$commands"
        return 0
    else
        for word in $places; do
            if [[ $count -eq 0 || $word == *+ ]]; then
                value=${word%+}
                break
            fi
            count=$((count - 1))
        done
        # No argument is missing: what is left are options.
        if [[ -z $value && -z $ended ]]; then _brainctl_add "$options"; fi
    fi
    case $value in
        choices:*)
            value=${value#choices:}
            _brainctl_add "${value//|/ }"
            ;;
        files) _brainctl_add_paths default -f ;;
        folders) _brainctl_add_paths dirnames -d ;;
        profiles | environments | answers) _brainctl_ask "$value" ;;
    esac
    return 0
}

complete -F _brainctl brainctl
"""


def script(root: Node) -> str:
    """The whole script, with one line end at its end."""
    shared = shared_flags(root)
    lines = [_HEAD]
    lines += [f"{_node(node)}\n" for node in root.walk()]
    lines.append(_TAKES)
    for node in root.walk():
        own = [flag for flag in node.flags if flag not in shared]
        lines += _takes(f"'{' '.join(node.path)} {{}}'", own)
    lines += _takes("*' {}'", shared)
    return "".join([*lines, _TAIL])


def _node(node: Node) -> str:
    """The line that says what stands below a command. None of its words need quoting."""
    commands = " ".join(child.name for child in node.children)
    options = " ".join(name for flag in node.flags for name in flag.names)
    places = " ".join(place.word for place in node.places)
    return f"        '{' '.join(node.path)}') commands='{commands}' options='{options}' places='{places}' ;;"


def _takes(pattern: str, flags: Iterable[Flag]) -> Iterator[str]:
    for flag in flags:
        if flag.value is not None:
            patterns = " | ".join(pattern.format(name) for name in flag.names)
            yield f"        {patterns}) value='{flag.value.word}' ;;\n"
