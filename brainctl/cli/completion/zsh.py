"""The script for zsh: one function a command, all of them given to zsh's own `_arguments`."""

import re
from typing import Final

from brainctl.cli.grammar import Flag, Node, Place, Value, shared_flags

_HEAD: Final = """\
#compdef brainctl
# zsh completion for brainctl, printed by `brainctl completion zsh`.
# Made from brainctl's commands: change those, not this file.

"""

_HELPERS: Final = r"""
# Offers what only brainctl knows. Whatever would need quoting is passed over.
_brainctl_ask() {
    local kind=$1 program environment='' word expl
    local -a found before
    before=("${(@Q)_brainctl_line[2,-1]}")
    while (( $#before )); do
        word=$before[1]
        shift before
        case $word in
            --) break ;;
            --env|-e) environment=${before[1]-} ;;
            --env=*) environment=${word#--env=} ;;
            -e*) environment=${word#-e} ;;
        esac
    done
    program=${${(Q)_brainctl_line[1]}/#\~\//$HOME/}
    if [[ $program == */* ]]; then
        [[ -x $program ]] || program=brainctl
    else
        (( $+commands[$program] )) || program=brainctl
    fi
    found=(${(f)"$(command "$program" __complete $kind ${environment:+--env} ${environment:+"$environment"} \
        "${(Q)PREFIX}" 2>/dev/null </dev/null)"})
    found=(${found:#*[^A-Za-z0-9_/-]*})
    # In the order given: answers come newest first.
    _wanted -V $kind expl $kind compadd -a found
}

"""

_TAIL: Final = """\
_brainctl() {
    local -a _brainctl_line _brainctl_shared
    _brainctl_line=("${(@)words[1,CURRENT-1]}")
%s    _brainctl_at_brainctl
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _brainctl "$@"
else
    compdef _brainctl brainctl
fi
"""


def script(root: Node) -> str:
    """The whole script, with one line end at its end."""
    shared = shared_flags(root)
    functions = "\n".join(_function(node, shared) for node in root.walk())
    specs = "".join(f"        {_flag(flag)}\n" for flag in shared)
    array = f"    _brainctl_shared=(\n{specs}    )\n"
    return _HEAD + functions + _HELPERS + _TAIL % array


def _function(node: Node, shared: tuple[Flag, ...]) -> str:
    specs = [_flag(flag) for flag in node.flags if flag not in shared]
    if node.children:
        return _group(node, specs)
    specs += [_place(place) for place in node.places]
    lines = "".join(f" \\\n        {spec}" for spec in specs)
    return f"{_name(node)}() {{\n    _arguments -s -S : $_brainctl_shared{lines}\n}}\n"


def _group(node: Node, specs: list[str]) -> str:
    """A group offers its commands, and hands what follows one of them on."""
    lines = "".join(f" \\\n        {spec}" for spec in [*specs, "'(-): :->command'", "'(-)*:: :->rest'"])
    commands = "".join(
        f"                {_quoted(_colons(child.name) + ':' + _colons(child.summary))}\n"
        for child in node.children
    )
    calls = "".join(f"                {child.name}) {_name(child)} && ret=0 ;;\n" for child in node.children)
    return (
        f"{_name(node)}() {{\n"
        "    local curcontext=$curcontext state state_descr ret=1\n"
        "    local -a line below\n"
        "    local -A opt_args\n"
        f"    _arguments -s -S -C : $_brainctl_shared{lines} && ret=0\n"
        "    case $state in\n"
        "        command)\n"
        f"            below=(\n{commands}            )\n"
        "            _describe -t commands command below && ret=0\n"
        "            ;;\n"
        "        rest)\n"
        f"            curcontext=${{curcontext%:*:*}}:{'-'.join(node.path)}-$line[1]:\n"
        f"            case ${{(Q)line[1]}} in\n{calls}            esac\n"
        "            ;;\n"
        "    esac\n"
        "    return ret\n"
        "}\n"
    )


def _name(node: Node) -> str:
    return "_brainctl_at_" + "_".join(node.path)


def _flag(flag: Flag) -> str:
    """One option for `_arguments`: what it excludes, its spellings, its help, and what follows it."""
    exclusion = "*" if flag.repeated else f"({' '.join(flag.names)})"
    rest = f"[{_bracketed(flag.help)}]"
    names = list(flag.names)
    if flag.value is not None:
        rest += _action(flag.value)
        names = [f"{name}=" if name.startswith("--") else f"{name}+" for name in names]
    if len(names) == 1:
        return _quoted(f"{exclusion}{names[0]}{rest}")
    return f"{_quoted(exclusion)}{{{','.join(names)}}}{_quoted(rest)}"


def _place(place: Place) -> str:
    return _quoted(("*" if place.repeated else "") + _action(place.value))


def _action(value: Value) -> str:
    message = re.sub(r"[^A-Za-z0-9_=|-]", " ", value.name)
    action = " "
    if value.kind == "choices":
        action = f"({' '.join(value.choices)})"
    elif value.kind == "files":
        action = "_files"
    elif value.kind == "folders":
        action = "_files -/"
    elif value.asked:
        # With a blank first zsh calls it as it stands, and puts no words of its own in between.
        action = f" _brainctl_ask {value.kind}"
    return f":{message}:{action}"


def _bracketed(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def _colons(text: str) -> str:
    return re.sub(r"([\\:])", r"\\\1", text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
