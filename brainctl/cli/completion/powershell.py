"""The script for PowerShell, 5.0 (the one of Windows) and later."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from brainctl.cli.grammar import Flag, Node, shared_flags

_HEAD: Final = """\
# PowerShell completion for brainctl, printed by `brainctl completion powershell`.
# Made from brainctl's commands: change those, not this file.

Register-ArgumentCompleter -Native -CommandName 'brainctl', 'brainctl.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What stands below a command: commands and options, each before its help, and the kinds of its arguments.
    function below($path) {
        switch -CaseSensitive ($path) {
"""

_SHARED: Final = """\
        }
    }

    $shared = @("""

_TAKES: Final = """)

    # What follows an option of a command; nothing where it takes no value.
    function takes($path, $option) {
        switch -CaseSensitive ("$path $option") {
"""

_TAKES_SHARED: Final = """\
        }
        switch -CaseSensitive ($option) {
"""

_TAIL: Final = r"""        }
    }

    function result($text, $shown, $type, $help) {
        if (-not $help) { $help = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, $type, $help)
    }

    function starts($text, $start) { $text.StartsWith($start, [System.StringComparison]::Ordinal) }

    function plain($text) { $text.Trim([char[]]@([char]34, [char]39)) }

    $elements = @($commandAst.CommandElements)
    $program = plain $elements[0].Extent.Text
    $path = 'brainctl'
    $below = below $path
    $pending = ''
    $ended = $false
    $environment = ''
    $count = 0
    foreach ($element in $elements | Select-Object -Skip 1) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $word = plain $element.Extent.Text
        if ($pending) {
            if ($pending -ceq 'environments') { $environment = $word }
            $pending = ''
        } elseif ($ended -or $word -ceq '-' -or -not (starts $word '-')) {
            if ($below.commands.Count -eq 0) {
                $count++
            } elseif (@($below.commands | ForEach-Object { $_[0] }) -ccontains $word) {
                $path = "$path $word"
                $below = below $path
                $ended = $false
                $count = 0
            } else {
                return
            }
        } elseif ($word -ceq '--') {
            $ended = $true
        } elseif (starts $word '--') {
            $name, $given = $word -split '=', 2
            $value = takes $path $name
            if ($null -eq $given) { $pending = $value }
            elseif ($value -ceq 'environments') { $environment = $given }
        } else {
            $letters = $word.Substring(1)
            while ($letters) {
                $value = takes $path ('-' + $letters[0])
                $letters = $letters.Substring(1)
                if ($value) {
                    if (-not $letters) { $pending = $value }
                    elseif ($value -ceq 'environments') { $environment = $letters }
                    $letters = ''
                }
            }
        }
    }

    $current = plain $wordToComplete
    $prefix = ''
    $value = ''
    $offered = @()
    if ($pending) {
        $value = $pending
    } elseif (-not $ended -and (starts $current '--') -and $current.Contains('=')) {
        $name, $current = $current -split '=', 2
        $prefix = "$name="
        $value = takes $path $name
    } elseif (-not $ended -and (starts $current '-')) {
        $offered = @($below.options) + $shared
    } elseif ($below.commands.Count -gt 0) {
        $offered = @($below.commands)
    } else {
        foreach ($place in $below.places) {
            if ($count -eq 0 -or $place.EndsWith('+')) { $value = $place.TrimEnd('+'); break }
            $count--
        }
        # No argument is missing: what is left are options.
        if (-not $value -and -not $ended) { $offered = @($below.options) + $shared }
    }

    foreach ($pair in $offered) {
        if (starts $pair[0] $current) {
            $type = if (starts $pair[0] '-') { 'ParameterName' } else { 'Command' }
            result $pair[0] $pair[0] $type $pair[1]
        }
    }
    $found = @()
    if ($value -clike 'choices:*') {
        $found = $value.Substring(8) -split '\|'
    } elseif ('profiles', 'environments', 'answers' -ccontains $value) {
        if (-not (Get-Command -Name $program -CommandType Application -ErrorAction Ignore)) { $program = 'brainctl' }
        $request = @('__complete', $value)
        if ($environment) { $request += @('--env', $environment) }
        # An empty argument is lost on its way in older versions; left out it means the same.
        if ($current) { $request += $current }
        # Whatever would need quoting is passed over.
        try { $found = @(& $program @request 2>$null) -cmatch '^[A-Za-z0-9_/-]+$' } catch { $found = @() }
    }
    foreach ($name in $found) {
        if (starts $name $current) { result "$prefix$name" $name 'ParameterValue' $name }
    }
}
"""


def script(root: Node) -> str:
    """The whole script, with one line end at its end."""
    shared = shared_flags(root)
    own = {node: [flag for flag in node.flags if flag not in shared] for node in root.walk()}
    lines = [_HEAD]
    for node, flags in own.items():
        lines += _below(node, flags)
    lines.append(_SHARED)
    lines.append(_pairs(_spellings(shared), 8))
    lines.append(_TAKES)
    for node, flags in own.items():
        lines += _takes(f"{' '.join(node.path)} ", flags)
    lines.append(_TAKES_SHARED)
    lines += _takes("", shared)
    return "".join([*lines, _TAIL])


def _below(node: Node, flags: list[Flag]) -> Iterator[str]:
    """The clause that says what stands below a command."""
    commands = _pairs([(child.name, child.summary) for child in node.children], 24)
    options = _pairs(_spellings(flags), 24)
    places = ", ".join(_quoted(place.word) for place in node.places)
    yield f"            {_quoted(' '.join(node.path))} {{\n                @{{\n"
    yield f"                    commands = @({commands})\n"
    yield f"                    options = @({options})\n"
    yield f"                    places = @({places})\n                }}\n            }}\n"


def _spellings(flags: Iterable[Flag]) -> list[tuple[str, str]]:
    return [(name, flag.help) for flag in flags for name in flag.names]


def _pairs(pairs: list[tuple[str, str]], indent: int) -> str:
    """The inside of a list of lists of two."""
    # Without a comma PowerShell takes a list within a list for its items.
    lone = "," if len(pairs) == 1 else ""
    lines = [f"\n{' ' * indent}{lone}@({_quoted(name)}, {_quoted(text)})" for name, text in pairs]
    return ",".join(lines) + ("\n" + " " * (indent - 4) if lines else "")


def _takes(start: str, flags: Iterable[Flag]) -> Iterator[str]:
    for flag in flags:
        if flag.value is not None:
            answer = f"{{ return {_quoted(flag.value.word)} }}"
            yield from (f"            {_quoted(start + name)} {answer}\n" for name in flag.names)


def _quoted(text: str) -> str:
    """PowerShell ends a string at a typographic quote too."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"
