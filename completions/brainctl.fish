# fish completion for brainctl, printed by `brainctl completion fish`.
# Made from brainctl's commands: change those, not this file.

# Whether the value of an option of a command is the next word.
function __brainctl_takes
    switch "$argv[1] $argv[2]"
        case '* --output' '* -o' '* --profile' '* -p' '* --env' '* -e' '* --color' '* --retries' '* --timeout' 'brainctl search --limit' 'brainctl search -n' 'brainctl search --end-user' 'brainctl search --end-user-name' 'brainctl search --batch' 'brainctl search --resume' 'brainctl context --token-budget' 'brainctl context -b' 'brainctl context --expect-version' 'brainctl context --end-user' 'brainctl context --end-user-name' 'brainctl context --batch' 'brainctl context --resume' 'brainctl teach --file' 'brainctl teach -f' 'brainctl teach --format' 'brainctl teach --report' 'brainctl teach --rejected' 'brainctl ask --conversation' 'brainctl ask -c' 'brainctl ask --agent' 'brainctl ask --wait' 'brainctl ask -w' 'brainctl ask --idempotency-key' 'brainctl ask --end-user' 'brainctl ask --end-user-name' 'brainctl ask --batch' 'brainctl ask --resume' 'brainctl ask --concurrency' 'brainctl wait --wait' 'brainctl wait -w' 'brainctl keys add --base-url' 'brainctl keys add --store' 'brainctl keys add --key-env' 'brainctl keys add --key-command' 'brainctl brain init --store' 'brainctl brain init --workspace' 'brainctl brain init --capture' 'brainctl brain serve --store' 'brainctl brain serve --host' 'brainctl brain serve --port' 'brainctl brain serve --processes' 'brainctl brain serve --workers' 'brainctl brain serve --allow-host' 'brainctl brain serve --allow-origin' 'brainctl brain keys create --audience' 'brainctl brain keys create --scope' 'brainctl brain keys create --expires' 'brainctl brain keys create --save-as' 'brainctl brain people add --name' 'brainctl brain facts list --subject' 'brainctl brain facts list --kind' 'brainctl brain facts list --origin' 'brainctl brain facts list --about' 'brainctl brain facts list --limit' 'brainctl brain facts list -n' 'brainctl brain facts forget --file' 'brainctl brain facts forget -f' 'brainctl brain explain --as' 'brainctl brain explain --end-user' 'brainctl brain explain --top' 'brainctl brain explain -n' 'brainctl brain capture --worker' 'brainctl brain workers set --model' 'brainctl brain workers set --base-url' 'brainctl brain workers set --key-env' 'brainctl brain move --to' 'brainctl brain move --workspace' 'brainctl brain workspaces create --store' 'brainctl brain workspaces list --store' 'brainctl brain workspaces remove --store' 'brainctl mcp install --client' 'brainctl mcp install --name' 'brainctl mcp config --client' 'brainctl mcp config --name' 'brainctl api --field' 'brainctl api -f' 'brainctl api --input' 'brainctl expect --contains' 'brainctl expect --fact-id' 'brainctl expect --min-facts' 'brainctl expect --top' 'brainctl expect --end-user' 'brainctl expect --file' 'brainctl expect -f' 'brainctl expect --junit'
            return 0
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
    set -l paths 'brainctl search' 'brainctl context' 'brainctl teach' 'brainctl ask' 'brainctl wait' 'brainctl whoami' 'brainctl keys' 'brainctl keys add' 'brainctl keys list' 'brainctl keys use' 'brainctl keys show' 'brainctl keys rename' 'brainctl keys remove' 'brainctl keys check' 'brainctl brain' 'brainctl brain init' 'brainctl brain serve' 'brainctl brain keys' 'brainctl brain keys create' 'brainctl brain keys list' 'brainctl brain keys revoke' 'brainctl brain people' 'brainctl brain people add' 'brainctl brain people list' 'brainctl brain people remove' 'brainctl brain members' 'brainctl brain members add' 'brainctl brain members list' 'brainctl brain members remove' 'brainctl brain facts' 'brainctl brain facts list' 'brainctl brain facts show' 'brainctl brain facts why' 'brainctl brain facts history' 'brainctl brain facts restore' 'brainctl brain facts forget' 'brainctl brain explain' 'brainctl brain audit' 'brainctl brain semantic' 'brainctl brain semantic on' 'brainctl brain semantic off' 'brainctl brain semantic status' 'brainctl brain capture' 'brainctl brain workers' 'brainctl brain workers set' 'brainctl brain workers list' 'brainctl brain workers remove' 'brainctl brain credits' 'brainctl brain credits set' 'brainctl brain credits show' 'brainctl brain export' 'brainctl brain import' 'brainctl brain backup' 'brainctl brain move' 'brainctl brain workspaces' 'brainctl brain workspaces create' 'brainctl brain workspaces list' 'brainctl brain workspaces remove' 'brainctl brain stats' 'brainctl mcp' 'brainctl mcp serve' 'brainctl mcp install' 'brainctl mcp config' 'brainctl api' 'brainctl expect' 'brainctl doctor' 'brainctl completion' 'brainctl man'
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
complete -c brainctl -l output -s o -r -f -a 'human json jsonl' -d 'How results are printed.'
complete -c brainctl -l json -d 'The same as -o json.'
complete -c brainctl -l profile -s p -r -f -a '(__brainctl_ask profiles)' -d 'The key profile to use.'
complete -c brainctl -l env -s e -r -f -a '(__brainctl_ask environments)' -d 'The environment whose current profile to use.'
complete -c brainctl -l quiet -s q -d 'Only errors on standard error.'
complete -c brainctl -l verbose -s v -d 'Show each request and reply, secrets masked.'
complete -c brainctl -l color -r -f -a 'auto always never' -d 'When to colour.'
complete -c brainctl -l retries -r -f -d 'Tries after the first (default 3; 0 off).'
complete -c brainctl -l timeout -r -f -d 'For one HTTP exchange (default 30).'
complete -c brainctl -l help -s h -d 'Show this message and exit.'
complete -c brainctl -n '__brainctl_at "brainctl"' -l version -s V -d 'Show the version and exit.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a search -d 'Find facts, most relevant first.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a context -d 'Build a memory packet, ready to paste or pipe.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a teach -d 'Teach the brain any number of facts.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a ask -d 'Ask the worker a question.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a wait -d 'Keep waiting for an answer; it is never asked for twice.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a whoami -d 'Show the key in use and where it came from.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a keys -d 'Keep key profiles, per environment.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a brain -d 'Run a brain of your own.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a mcp -d 'Give an agent the brain as tools.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a api -d 'Make one raw request with the profile\'s key.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a expect -d 'Check what the brain knows, and what a key must not see.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a doctor -d 'Look for what is wrong with this set-up, and say what to do.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a completion -d 'Print a completion script for your shell.'
complete -c brainctl -n '__brainctl_at "brainctl" 0' -a man -d 'Write the man pages, one for each command.'
complete -c brainctl -n '__brainctl_at "brainctl search"' -l limit -s n -r -f -d 'The most facts, 1 to 100 (default 20).'
complete -c brainctl -n '__brainctl_at "brainctl search"' -l end-user -r -f -d 'Your own id for the person asking; adds the facts about them.'
complete -c brainctl -n '__brainctl_at "brainctl search"' -l end-user-name -r -f -d 'Their display name; never chooses facts.'
complete -c brainctl -n '__brainctl_at "brainctl search"' -l batch -r -F -d 'Many at once: one a line, as text or as the request\'s JSON; - is stdin.'
complete -c brainctl -n '__brainctl_at "brainctl search"' -l resume -r -f -d 'Append the batch\'s rows to OUTPUT, but for those answered there.'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l token-budget -s b -r -f -d 'The most tokens, 100 to 20000 (default 1500).'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l expect-version -r -f -d 'Fail unless the packet\'s format has this version.'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l end-user -r -f -d 'Your own id for the person asking; adds the facts about them.'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l end-user-name -r -f -d 'Their display name; never chooses facts.'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l batch -r -F -d 'Many at once: one a line, as text or as the request\'s JSON; - is stdin.'
complete -c brainctl -n '__brainctl_at "brainctl context"' -l resume -r -f -d 'Append the batch\'s rows to OUTPUT, but for those answered there.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l file -s f -r -F -d 'A file of facts; - is standard input.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l format -r -f -a 'text jsonl csv' -d 'The files\' format; else their suffix says it.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l dry-run -d 'Print what would be sent, and send nothing.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l resume -l no-resume -d 'Go on where an interrupted run of the same facts stopped.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l report -r -F -d 'Write what came of each fact, as JSON lines.'
complete -c brainctl -n '__brainctl_at "brainctl teach"' -l rejected -r -F -d 'Write the facts that were not accepted, for --file.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l conversation -s c -r -f -d 'Your own thread key, to go on with one.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l agent -r -f -d 'Which worker answers.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l sources -l no-sources -d 'The facts it was built from (at a terminal: yes).'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l stream -l no-stream -d 'Stream the answer, or queue it and poll.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l no-wait -d 'Queue the question and print the answer\'s id.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l wait -s w -r -f -d 'The longest wait (60 but at a terminal; 0: none).'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l idempotency-key -r -f -d 'Your own retry key; queues the question.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l interactive -s i -d 'Go on asking, in one conversation.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l end-user -r -f -d 'Your own id for the person asking; adds the facts about them.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l end-user-name -r -f -d 'Their display name; never chooses facts.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l batch -r -F -d 'Many at once: one a line, as text or as the request\'s JSON; - is stdin.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l resume -r -f -d 'Append the batch\'s rows to OUTPUT, but for those answered there.'
complete -c brainctl -n '__brainctl_at "brainctl ask"' -l concurrency -r -f -d 'How many of a batch to ask at once (default 1); a conversation keeps its order.'
complete -c brainctl -n '__brainctl_at "brainctl wait"' -l wait -s w -r -f -d 'The longest wait (60 but at a terminal; 0: none).'
complete -c brainctl -n '__brainctl_at "brainctl wait"' -l sources -l no-sources -d 'The facts it was built from (at a terminal: yes).'
complete -c brainctl -n '__brainctl_at "brainctl wait" 0' -f -k -a '(__brainctl_ask answers)'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a add -d 'Save a key as a profile.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a list -d 'List the profiles, by environment.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a use -d 'Choose the profile that commands use.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a show -d 'Show what is known of one profile.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a rename -d 'Give a profile another name.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a remove -d 'Forget a profile and its key.'
complete -c brainctl -n '__brainctl_at "brainctl keys" 0' -a check -d 'Prove that a profile\'s key is good.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l base-url -r -f -d 'The environment\'s address; makes a new environment.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l store -r -f -d 'The environment is a brain of your own, in this store.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l key-stdin -d 'Read the key from standard input.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l key-env -r -f -d 'Read the key from this variable at each use.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l key-command -r -f -d 'Get the key from this command at each use.'
complete -c brainctl -n '__brainctl_at "brainctl keys add"' -l check -l no-check -d 'Prove the key with whoami first.'
complete -c brainctl -n '__brainctl_at "brainctl keys use" 0' -f -a '(__brainctl_ask profiles)'
complete -c brainctl -n '__brainctl_at "brainctl keys show" 0' -f -a '(__brainctl_ask profiles)'
complete -c brainctl -n '__brainctl_at "brainctl keys rename" 0' -f -a '(__brainctl_ask profiles)'
complete -c brainctl -n '__brainctl_at "brainctl keys remove"' -l environment -d 'Remove the environment of --env with all its profiles.'
complete -c brainctl -n '__brainctl_at "brainctl keys remove"' -l yes -s y -d 'Do not ask.'
complete -c brainctl -n '__brainctl_at "brainctl keys remove" 0' -f -a '(__brainctl_ask profiles)'
complete -c brainctl -n '__brainctl_at "brainctl keys check" 0' -f -a '(__brainctl_ask profiles)'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a init -d 'Make a brain of your own.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a serve -d 'Serve your brain to others: the Brain API and MCP, over HTTP.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a keys -d 'Make, list and revoke the keys of your brain.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a people -d 'Bind your customers\' ids to their names.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a members -d 'Name your colleagues.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a facts -d 'Look at the facts of your brain, all of them, and remove those that must go.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a explain -d 'Show what a key would get for a query, and what is withheld from it.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a audit -d 'List the facts that deserve a second look, and why.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a semantic -d 'Find facts by their meaning too, with a model on this machine.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a capture -d 'Show or choose who captures: the rules alone, or a worker\'s model within the rules\' guards.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a workers -d 'Choose who answers.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a credits -d 'Count what answers cost, to try out how a client meets an empty balance.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a export -d 'Write the brain out as JSON lines.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a import -d 'Load JSON lines into the brain.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a backup -d 'Copy the brain\'s file while it is in use.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a move -d 'Move the brain to another store, and back.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a workspaces -d 'Make, list and remove the brains that one database holds.'
complete -c brainctl -n '__brainctl_at "brainctl brain" 0' -a stats -d 'Show what the brain holds, in figures.'
complete -c brainctl -n '__brainctl_at "brainctl brain init"' -l sample -d 'Load a small company\'s facts to try things on.'
complete -c brainctl -n '__brainctl_at "brainctl brain init"' -l store -r -f -d 'Where it lies: a file, or postgresql://user@host/database.'
complete -c brainctl -n '__brainctl_at "brainctl brain init"' -l workspace -r -f -d 'What it is called in a database.'
complete -c brainctl -n '__brainctl_at "brainctl brain init"' -l capture -r -f -a 'rules model' -d 'Who decides what becomes of a taught text.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l store -r -f -d 'A file, or postgresql://user@host/database: all brains in it.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l host -r -f -d 'The address to listen on.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l port -r -f -d 'The port; 0 takes any free one.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l processes -r -f -d 'Processes that serve it.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l workers -r -f -d 'Queued answers a process runs at once.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l allow-remote -d 'Let other machines reach it.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l allow-host -r -f -d 'A further name that it is served under.'
complete -c brainctl -n '__brainctl_at "brainctl brain serve"' -l allow-origin -r -f -d 'A web page\'s origin that may use it.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys" 0' -a create -d 'Make a key; its secret is shown this once.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys" 0' -a list -d 'List the keys, never their secrets.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys" 0' -a revoke -d 'Revoke a key: its next request fails.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys create"' -l audience -r -f -a 'internal external' -d 'external for anything a customer touches.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys create"' -l scope -r -f -d 'What it may do; give it once for each.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys create"' -l expires -r -f -d 'After this long, such as 12h, 90d or 4w.'
complete -c brainctl -n '__brainctl_at "brainctl brain keys create"' -l save-as -r -f -a '(__brainctl_ask profiles)' -d 'Save it as a profile too.'
complete -c brainctl -n '__brainctl_at "brainctl brain people" 0' -a add -d 'Bind a customer\'s id to a name.'
complete -c brainctl -n '__brainctl_at "brainctl brain people" 0' -a list -d 'List the people.'
complete -c brainctl -n '__brainctl_at "brainctl brain people" 0' -a remove -d 'Forget a binding; the facts stay, about nobody that a key can name.'
complete -c brainctl -n '__brainctl_at "brainctl brain people add"' -l name -r -f -d 'The name that facts know them by.'
complete -c brainctl -n '__brainctl_at "brainctl brain members" 0' -a add -d 'Name a colleague.'
complete -c brainctl -n '__brainctl_at "brainctl brain members" 0' -a list -d 'List the colleagues.'
complete -c brainctl -n '__brainctl_at "brainctl brain members" 0' -a remove -d 'Forget a colleague; the facts stay, and stay inside.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a list -d 'List facts, the newest first.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a show -d 'Show all that is stored of a fact.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a why -d 'Say why a fact is there, and why it is as it is.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a history -d 'Show how the facts of a subject came to be.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a restore -d 'Let a superseded fact be current again.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts" 0' -a forget -d 'Remove facts for good.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l subject -r -f -d 'Facts about this subject alone.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l kind -r -f -d 'Facts of this kind alone, as decision.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l origin -r -f -a 'user_stated ingested agent_inferred agent_action system' -d 'Facts that came so alone.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l about -r -f -d 'Facts about this person alone.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l past -d 'The facts that were superseded, instead of the current ones.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts list"' -l limit -s n -r -f -d 'The most facts to list.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts forget"' -l file -s f -r -F -d 'Ids or JSON lines with a fact_id; - is standard input.'
complete -c brainctl -n '__brainctl_at "brainctl brain facts forget"' -l yes -s y -d 'Do not ask.'
complete -c brainctl -n '__brainctl_at "brainctl brain explain"' -l as -r -f -d 'The name, prefix or id of the key.'
complete -c brainctl -n '__brainctl_at "brainctl brain explain"' -l end-user -r -f -d 'The customer whom the key would name.'
complete -c brainctl -n '__brainctl_at "brainctl brain explain"' -l top -s n -r -f -d 'The most facts of each sort.'
complete -c brainctl -n '__brainctl_at "brainctl brain semantic" 0' -a on -d 'Find facts by their meaning too.'
complete -c brainctl -n '__brainctl_at "brainctl brain semantic" 0' -a off -d 'Find facts by their words alone.'
complete -c brainctl -n '__brainctl_at "brainctl brain semantic" 0' -a status -d 'Show whether facts are found by their meaning too, and how many are.'
complete -c brainctl -n '__brainctl_at "brainctl brain semantic on"' -l wait -d 'Stay until all facts are read, and show how far it is.'
complete -c brainctl -n '__brainctl_at "brainctl brain capture"' -l worker -r -f -d 'The worker whose model helps; main where none is named.'
complete -c brainctl -n '__brainctl_at "brainctl brain capture" 0' -f -a 'rules model'
complete -c brainctl -n '__brainctl_at "brainctl brain workers" 0' -a set -d 'Let a model answer.'
complete -c brainctl -n '__brainctl_at "brainctl brain workers" 0' -a list -d 'List the workers that are set.'
complete -c brainctl -n '__brainctl_at "brainctl brain workers" 0' -a remove -d 'Forget a worker.'
complete -c brainctl -n '__brainctl_at "brainctl brain workers set"' -l model -r -f -d 'The model, as its endpoint calls it.'
complete -c brainctl -n '__brainctl_at "brainctl brain workers set"' -l base-url -r -f -d 'An OpenAI-compatible endpoint, up to /v1.'
complete -c brainctl -n '__brainctl_at "brainctl brain workers set"' -l key-env -r -f -d 'The variable that holds the endpoint\'s key.'
complete -c brainctl -n '__brainctl_at "brainctl brain credits" 0' -a set -d 'Give so many credits, or count none.'
complete -c brainctl -n '__brainctl_at "brainctl brain credits" 0' -a show -d 'Show what is left.'
complete -c brainctl -n '__brainctl_at "brainctl brain credits set" 0' -f -a 'N off'
complete -c brainctl -n '__brainctl_at "brainctl brain export"' -l answers -d 'The answers too.'
complete -c brainctl -n '__brainctl_at "brainctl brain export"' -l force -d 'Replace a file that is there.'
complete -c brainctl -n '__brainctl_at "brainctl brain export" 0' -F
complete -c brainctl -n '__brainctl_at "brainctl brain import" 0' -F
complete -c brainctl -n '__brainctl_at "brainctl brain backup"' -l force -d 'Replace a file that is there.'
complete -c brainctl -n '__brainctl_at "brainctl brain backup" 0' -F
complete -c brainctl -n '__brainctl_at "brainctl brain move"' -l to -r -f -d 'A file, or postgresql://user@host/database.'
complete -c brainctl -n '__brainctl_at "brainctl brain move"' -l workspace -r -f -d 'What it is called in a database; else as now.'
complete -c brainctl -n '__brainctl_at "brainctl brain move"' -l dry-run -d 'Show what would be moved, and move nothing.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces" 0' -a create -d 'Make an empty workspace, and its first key; the secret is shown this once.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces" 0' -a list -d 'List the workspaces, and what each holds.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces" 0' -a remove -d 'Remove a workspace with all that it holds.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces create"' -l store -r -f -d 'The store; else that of your own brain.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces list"' -l store -r -f -d 'The store; else that of your own brain.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces remove"' -l store -r -f -d 'The store; else that of your own brain.'
complete -c brainctl -n '__brainctl_at "brainctl brain workspaces remove"' -l yes -s y -d 'Do not ask.'
complete -c brainctl -n '__brainctl_at "brainctl mcp" 0' -a serve -d 'Speak MCP on standard input and output.'
complete -c brainctl -n '__brainctl_at "brainctl mcp" 0' -a install -d 'Add the brain to an agent\'s settings.'
complete -c brainctl -n '__brainctl_at "brainctl mcp" 0' -a config -d 'Print what an agent\'s settings need.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l client -r -f -a 'claude-code claude-desktop cursor vscode windsurf codex gemini zed opencode' -d 'The agent.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l project -d 'In this folder\'s settings, not the user\'s.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l http -d 'The agent calls the brain\'s address itself.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l stdio -d 'The agent starts brainctl, which calls the brain.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l name -r -f -d 'The server\'s name.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l dry-run -d 'Show what would change, and change nothing.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l uninstall -d 'Take the server out again.'
complete -c brainctl -n '__brainctl_at "brainctl mcp install"' -l inline-key -d 'Write the key itself into the file, readable by you alone.'
complete -c brainctl -n '__brainctl_at "brainctl mcp config"' -l client -r -f -a 'claude-code claude-desktop cursor vscode windsurf codex gemini zed opencode' -d 'The agent.'
complete -c brainctl -n '__brainctl_at "brainctl mcp config"' -l http -d 'The agent calls the brain\'s address itself.'
complete -c brainctl -n '__brainctl_at "brainctl mcp config"' -l stdio -d 'The agent starts brainctl, which calls the brain.'
complete -c brainctl -n '__brainctl_at "brainctl mcp config"' -l name -r -f -d 'The server\'s name.'
complete -c brainctl -n '__brainctl_at "brainctl api"' -l field -s f -r -f -d 'A field of the body; NAME:=JSON for other than text.'
complete -c brainctl -n '__brainctl_at "brainctl api"' -l input -r -F -d 'The whole body; - reads standard input.'
complete -c brainctl -n '__brainctl_at "brainctl api" 0' -f -a 'GET POST PUT PATCH DELETE HEAD OPTIONS'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l contains -r -f -d 'A fact that is found must contain this text.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l fact-id -r -f -d 'This fact must be found.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l min-facts -r -f -d 'At least so many facts must be found.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l top -r -f -d 'Look at the first K facts (default 20; with --absent 100).'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l absent -d 'Turn it round: this must not be found, or not so many.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l end-user -r -f -d 'Your own id for the person asking; adds the facts about them.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l file -s f -r -F -d 'Checks as JSON lines; - reads standard input.'
complete -c brainctl -n '__brainctl_at "brainctl expect"' -l junit -r -F -d 'Also write a JUnit XML report, for CI.'
complete -c brainctl -n '__brainctl_at "brainctl completion" 0' -f -a 'bash zsh fish powershell'
complete -c brainctl -n '__brainctl_at "brainctl man" 0' -f -a '(__fish_complete_directories)'
