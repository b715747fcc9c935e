# bash completion for brainctl, printed by `brainctl completion bash`.
# Made from brainctl's commands: change those, not this file.

# Sets what stands below a command: its commands, its options, and what its arguments are.
_brainctl_at() {
    commands='' options='' places=''
    case $1 in
        'brainctl') commands='search context teach ask wait whoami keys brain mcp api expect doctor completion man' options='--version -V --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl search') commands='' options='--limit -n --end-user --end-user-name --batch --resume --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl context') commands='' options='--token-budget -b --expect-version --end-user --end-user-name --batch --resume --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl teach') commands='' options='--file -f --format --dry-run --resume --no-resume --report --rejected --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text+' ;;
        'brainctl ask') commands='' options='--conversation -c --agent --sources --no-sources --stream --no-stream --no-wait --wait -w --idempotency-key --interactive -i --end-user --end-user-name --batch --resume --concurrency --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl wait') commands='' options='--wait -w --sources --no-sources --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='answers' ;;
        'brainctl whoami') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl keys') commands='add list use show rename remove check' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl keys add') commands='' options='--base-url --store --key-stdin --key-env --key-command --check --no-check --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl keys list') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl keys use') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='profiles' ;;
        'brainctl keys show') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='profiles' ;;
        'brainctl keys rename') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='profiles text' ;;
        'brainctl keys remove') commands='' options='--environment --yes -y --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='profiles' ;;
        'brainctl keys check') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='profiles' ;;
        'brainctl brain') commands='init serve keys people members facts explain audit semantic capture workers credits export import backup move workspaces stats' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain init') commands='' options='--sample --store --workspace --capture --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain serve') commands='' options='--store --host --port --processes --workers --allow-remote --allow-host --allow-origin --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain keys') commands='create list revoke' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain keys create') commands='' options='--audience --scope --expires --save-as --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain keys list') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain keys revoke') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain people') commands='add list remove' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain people add') commands='' options='--name --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain people list') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain people remove') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain members') commands='add list remove' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain members add') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain members list') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain members remove') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain facts') commands='list show why history restore forget' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain facts list') commands='' options='--subject --kind --origin --about --past --limit -n --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain facts show') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain facts why') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain facts history') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain facts restore') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain facts forget') commands='' options='--file -f --yes -y --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text+' ;;
        'brainctl brain explain') commands='' options='--as --end-user --top -n --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain audit') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain semantic') commands='on off status' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain semantic on') commands='' options='--wait --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain semantic off') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain semantic status') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain capture') commands='' options='--worker --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='choices:rules|model' ;;
        'brainctl brain workers') commands='set list remove' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain workers set') commands='' options='--model --base-url --key-env --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain workers list') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain workers remove') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain credits') commands='set show' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain credits set') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='choices:N|off' ;;
        'brainctl brain credits show') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain export') commands='' options='--answers --force --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='files' ;;
        'brainctl brain import') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='files' ;;
        'brainctl brain backup') commands='' options='--force --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='files' ;;
        'brainctl brain move') commands='' options='--to --workspace --dry-run --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain workspaces') commands='create list remove' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain workspaces create') commands='' options='--store --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain workspaces list') commands='' options='--store --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl brain workspaces remove') commands='' options='--store --yes -y --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl brain stats') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl mcp') commands='serve install config' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl mcp serve') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl mcp install') commands='' options='--client --project --http --stdio --name --dry-run --uninstall --inline-key --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl mcp config') commands='' options='--client --http --stdio --name --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl api') commands='' options='--field -f --input --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='choices:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS text' ;;
        'brainctl expect') commands='' options='--contains --fact-id --min-facts --top --absent --end-user --file -f --junit --output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='text' ;;
        'brainctl doctor') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='' ;;
        'brainctl completion') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='choices:bash|zsh|fish|powershell' ;;
        'brainctl man') commands='' options='--output -o --json --profile -p --env -e --quiet -q --verbose -v --color --retries --timeout --help -h' places='folders' ;;
    esac
}

# Sets what follows an option of a command; nothing where it takes no value.
_brainctl_takes() {
    value=''
    case "$1 $2" in
        'brainctl search --limit' | 'brainctl search -n') value='text' ;;
        'brainctl search --end-user') value='text' ;;
        'brainctl search --end-user-name') value='text' ;;
        'brainctl search --batch') value='files' ;;
        'brainctl search --resume') value='text' ;;
        'brainctl context --token-budget' | 'brainctl context -b') value='text' ;;
        'brainctl context --expect-version') value='text' ;;
        'brainctl context --end-user') value='text' ;;
        'brainctl context --end-user-name') value='text' ;;
        'brainctl context --batch') value='files' ;;
        'brainctl context --resume') value='text' ;;
        'brainctl teach --file' | 'brainctl teach -f') value='files' ;;
        'brainctl teach --format') value='choices:text|jsonl|csv' ;;
        'brainctl teach --report') value='files' ;;
        'brainctl teach --rejected') value='files' ;;
        'brainctl ask --conversation' | 'brainctl ask -c') value='text' ;;
        'brainctl ask --agent') value='text' ;;
        'brainctl ask --wait' | 'brainctl ask -w') value='text' ;;
        'brainctl ask --idempotency-key') value='text' ;;
        'brainctl ask --end-user') value='text' ;;
        'brainctl ask --end-user-name') value='text' ;;
        'brainctl ask --batch') value='files' ;;
        'brainctl ask --resume') value='text' ;;
        'brainctl ask --concurrency') value='text' ;;
        'brainctl wait --wait' | 'brainctl wait -w') value='text' ;;
        'brainctl keys add --base-url') value='text' ;;
        'brainctl keys add --store') value='text' ;;
        'brainctl keys add --key-env') value='text' ;;
        'brainctl keys add --key-command') value='text' ;;
        'brainctl brain init --store') value='text' ;;
        'brainctl brain init --workspace') value='text' ;;
        'brainctl brain init --capture') value='choices:rules|model' ;;
        'brainctl brain serve --store') value='text' ;;
        'brainctl brain serve --host') value='text' ;;
        'brainctl brain serve --port') value='text' ;;
        'brainctl brain serve --processes') value='text' ;;
        'brainctl brain serve --workers') value='text' ;;
        'brainctl brain serve --allow-host') value='text' ;;
        'brainctl brain serve --allow-origin') value='text' ;;
        'brainctl brain keys create --audience') value='choices:internal|external' ;;
        'brainctl brain keys create --scope') value='text' ;;
        'brainctl brain keys create --expires') value='text' ;;
        'brainctl brain keys create --save-as') value='profiles' ;;
        'brainctl brain people add --name') value='text' ;;
        'brainctl brain facts list --subject') value='text' ;;
        'brainctl brain facts list --kind') value='text' ;;
        'brainctl brain facts list --origin') value='choices:user_stated|ingested|agent_inferred|agent_action|system' ;;
        'brainctl brain facts list --about') value='text' ;;
        'brainctl brain facts list --limit' | 'brainctl brain facts list -n') value='text' ;;
        'brainctl brain facts forget --file' | 'brainctl brain facts forget -f') value='files' ;;
        'brainctl brain explain --as') value='text' ;;
        'brainctl brain explain --end-user') value='text' ;;
        'brainctl brain explain --top' | 'brainctl brain explain -n') value='text' ;;
        'brainctl brain capture --worker') value='text' ;;
        'brainctl brain workers set --model') value='text' ;;
        'brainctl brain workers set --base-url') value='text' ;;
        'brainctl brain workers set --key-env') value='text' ;;
        'brainctl brain move --to') value='text' ;;
        'brainctl brain move --workspace') value='text' ;;
        'brainctl brain workspaces create --store') value='text' ;;
        'brainctl brain workspaces list --store') value='text' ;;
        'brainctl brain workspaces remove --store') value='text' ;;
        'brainctl mcp install --client') value='choices:claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode' ;;
        'brainctl mcp install --name') value='text' ;;
        'brainctl mcp config --client') value='choices:claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode' ;;
        'brainctl mcp config --name') value='text' ;;
        'brainctl api --field' | 'brainctl api -f') value='text' ;;
        'brainctl api --input') value='files' ;;
        'brainctl expect --contains') value='text' ;;
        'brainctl expect --fact-id') value='text' ;;
        'brainctl expect --min-facts') value='text' ;;
        'brainctl expect --top') value='text' ;;
        'brainctl expect --end-user') value='text' ;;
        'brainctl expect --file' | 'brainctl expect -f') value='files' ;;
        'brainctl expect --junit') value='files' ;;
        *' --output' | *' -o') value='choices:human|json|jsonl' ;;
        *' --profile' | *' -p') value='profiles' ;;
        *' --env' | *' -e') value='environments' ;;
        *' --color') value='choices:auto|always|never' ;;
        *' --retries') value='text' ;;
        *' --timeout') value='text' ;;
    esac
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
