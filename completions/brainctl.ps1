# PowerShell completion for brainctl, printed by `brainctl completion powershell`.
# Made from brainctl's commands: change those, not this file.

Register-ArgumentCompleter -Native -CommandName 'brainctl', 'brainctl.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What stands below a command: commands and options, each before its help, and the kinds of its arguments.
    function below($path) {
        switch -CaseSensitive ($path) {
            'brainctl' {
                @{
                    commands = @(
                        @('search', 'Find facts, most relevant first.'),
                        @('context', 'Build a memory packet, ready to paste or pipe.'),
                        @('teach', 'Teach the brain any number of facts.'),
                        @('ask', 'Ask the worker a question.'),
                        @('wait', 'Keep waiting for an answer; it is never asked for twice.'),
                        @('whoami', 'Show the key in use and where it came from.'),
                        @('keys', 'Keep key profiles, per environment.'),
                        @('brain', 'Run a brain of your own.'),
                        @('mcp', 'Give an agent the brain as tools.'),
                        @('api', 'Make one raw request with the profile''s key.'),
                        @('expect', 'Check what the brain knows, and what a key must not see.'),
                        @('doctor', 'Look for what is wrong with this set-up, and say what to do.'),
                        @('completion', 'Print a completion script for your shell.'),
                        @('man', 'Write the man pages, one for each command.')
                    )
                    options = @(
                        @('--version', 'Show the version and exit.'),
                        @('-V', 'Show the version and exit.')
                    )
                    places = @()
                }
            }
            'brainctl search' {
                @{
                    commands = @()
                    options = @(
                        @('--limit', 'The most facts, 1 to 100 (default 20).'),
                        @('-n', 'The most facts, 1 to 100 (default 20).'),
                        @('--end-user', 'Your own id for the person asking; adds the facts about them.'),
                        @('--end-user-name', 'Their display name; never chooses facts.'),
                        @('--batch', 'Many at once: one a line, as text or as the request''s JSON; - is stdin.'),
                        @('--resume', 'Append the batch''s rows to OUTPUT, but for those answered there.')
                    )
                    places = @('text')
                }
            }
            'brainctl context' {
                @{
                    commands = @()
                    options = @(
                        @('--token-budget', 'The most tokens, 100 to 20000 (default 1500).'),
                        @('-b', 'The most tokens, 100 to 20000 (default 1500).'),
                        @('--expect-version', 'Fail unless the packet''s format has this version.'),
                        @('--end-user', 'Your own id for the person asking; adds the facts about them.'),
                        @('--end-user-name', 'Their display name; never chooses facts.'),
                        @('--batch', 'Many at once: one a line, as text or as the request''s JSON; - is stdin.'),
                        @('--resume', 'Append the batch''s rows to OUTPUT, but for those answered there.')
                    )
                    places = @('text')
                }
            }
            'brainctl teach' {
                @{
                    commands = @()
                    options = @(
                        @('--file', 'A file of facts; - is standard input.'),
                        @('-f', 'A file of facts; - is standard input.'),
                        @('--format', 'The files'' format; else their suffix says it.'),
                        @('--dry-run', 'Print what would be sent, and send nothing.'),
                        @('--resume', 'Go on where an interrupted run of the same facts stopped.'),
                        @('--no-resume', 'Go on where an interrupted run of the same facts stopped.'),
                        @('--report', 'Write what came of each fact, as JSON lines.'),
                        @('--rejected', 'Write the facts that were not accepted, for --file.')
                    )
                    places = @('text+')
                }
            }
            'brainctl ask' {
                @{
                    commands = @()
                    options = @(
                        @('--conversation', 'Your own thread key, to go on with one.'),
                        @('-c', 'Your own thread key, to go on with one.'),
                        @('--agent', 'Which worker answers.'),
                        @('--sources', 'The facts it was built from (at a terminal: yes).'),
                        @('--no-sources', 'The facts it was built from (at a terminal: yes).'),
                        @('--stream', 'Stream the answer, or queue it and poll.'),
                        @('--no-stream', 'Stream the answer, or queue it and poll.'),
                        @('--no-wait', 'Queue the question and print the answer''s id.'),
                        @('--wait', 'The longest wait (60 but at a terminal; 0: none).'),
                        @('-w', 'The longest wait (60 but at a terminal; 0: none).'),
                        @('--idempotency-key', 'Your own retry key; queues the question.'),
                        @('--interactive', 'Go on asking, in one conversation.'),
                        @('-i', 'Go on asking, in one conversation.'),
                        @('--end-user', 'Your own id for the person asking; adds the facts about them.'),
                        @('--end-user-name', 'Their display name; never chooses facts.'),
                        @('--batch', 'Many at once: one a line, as text or as the request''s JSON; - is stdin.'),
                        @('--resume', 'Append the batch''s rows to OUTPUT, but for those answered there.'),
                        @('--concurrency', 'How many of a batch to ask at once (default 1); a conversation keeps its order.')
                    )
                    places = @('text')
                }
            }
            'brainctl wait' {
                @{
                    commands = @()
                    options = @(
                        @('--wait', 'The longest wait (60 but at a terminal; 0: none).'),
                        @('-w', 'The longest wait (60 but at a terminal; 0: none).'),
                        @('--sources', 'The facts it was built from (at a terminal: yes).'),
                        @('--no-sources', 'The facts it was built from (at a terminal: yes).')
                    )
                    places = @('answers')
                }
            }
            'brainctl whoami' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl keys' {
                @{
                    commands = @(
                        @('add', 'Save a key as a profile.'),
                        @('list', 'List the profiles, by environment.'),
                        @('use', 'Choose the profile that commands use.'),
                        @('show', 'Show what is known of one profile.'),
                        @('rename', 'Give a profile another name.'),
                        @('remove', 'Forget a profile and its key.'),
                        @('check', 'Prove that a profile''s key is good.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl keys add' {
                @{
                    commands = @()
                    options = @(
                        @('--base-url', 'The environment''s address; makes a new environment.'),
                        @('--store', 'The environment is a brain of your own, in this store.'),
                        @('--key-stdin', 'Read the key from standard input.'),
                        @('--key-env', 'Read the key from this variable at each use.'),
                        @('--key-command', 'Get the key from this command at each use.'),
                        @('--check', 'Prove the key with whoami first.'),
                        @('--no-check', 'Prove the key with whoami first.')
                    )
                    places = @('text')
                }
            }
            'brainctl keys list' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl keys use' {
                @{
                    commands = @()
                    options = @()
                    places = @('profiles')
                }
            }
            'brainctl keys show' {
                @{
                    commands = @()
                    options = @()
                    places = @('profiles')
                }
            }
            'brainctl keys rename' {
                @{
                    commands = @()
                    options = @()
                    places = @('profiles', 'text')
                }
            }
            'brainctl keys remove' {
                @{
                    commands = @()
                    options = @(
                        @('--environment', 'Remove the environment of --env with all its profiles.'),
                        @('--yes', 'Do not ask.'),
                        @('-y', 'Do not ask.')
                    )
                    places = @('profiles')
                }
            }
            'brainctl keys check' {
                @{
                    commands = @()
                    options = @()
                    places = @('profiles')
                }
            }
            'brainctl brain' {
                @{
                    commands = @(
                        @('init', 'Make a brain of your own.'),
                        @('serve', 'Serve your brain to others: the Brain API and MCP, over HTTP.'),
                        @('keys', 'Make, list and revoke the keys of your brain.'),
                        @('people', 'Bind your customers'' ids to their names.'),
                        @('members', 'Name your colleagues.'),
                        @('facts', 'Look at the facts of your brain, all of them, and remove those that must go.'),
                        @('explain', 'Show what a key would get for a query, and what is withheld from it.'),
                        @('audit', 'List the facts that deserve a second look, and why.'),
                        @('semantic', 'Find facts by their meaning too, with a model on this machine.'),
                        @('capture', 'Show or choose who captures: the rules alone, or a worker''s model within the rules'' guards.'),
                        @('workers', 'Choose who answers.'),
                        @('credits', 'Count what answers cost, to try out how a client meets an empty balance.'),
                        @('export', 'Write the brain out as JSON lines.'),
                        @('import', 'Load JSON lines into the brain.'),
                        @('backup', 'Copy the brain''s file while it is in use.'),
                        @('move', 'Move the brain to another store, and back.'),
                        @('workspaces', 'Make, list and remove the brains that one database holds.'),
                        @('stats', 'Show what the brain holds, in figures.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain init' {
                @{
                    commands = @()
                    options = @(
                        @('--sample', 'Load a small company''s facts to try things on.'),
                        @('--store', 'Where it lies: a file, or postgresql://user@host/database.'),
                        @('--workspace', 'What it is called in a database.'),
                        @('--capture', 'Who decides what becomes of a taught text.')
                    )
                    places = @()
                }
            }
            'brainctl brain serve' {
                @{
                    commands = @()
                    options = @(
                        @('--store', 'A file, or postgresql://user@host/database: all brains in it.'),
                        @('--host', 'The address to listen on.'),
                        @('--port', 'The port; 0 takes any free one.'),
                        @('--processes', 'Processes that serve it.'),
                        @('--workers', 'Queued answers a process runs at once.'),
                        @('--allow-remote', 'Let other machines reach it.'),
                        @('--allow-host', 'A further name that it is served under.'),
                        @('--allow-origin', 'A web page''s origin that may use it.')
                    )
                    places = @()
                }
            }
            'brainctl brain keys' {
                @{
                    commands = @(
                        @('create', 'Make a key; its secret is shown this once.'),
                        @('list', 'List the keys, never their secrets.'),
                        @('revoke', 'Revoke a key: its next request fails.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain keys create' {
                @{
                    commands = @()
                    options = @(
                        @('--audience', 'external for anything a customer touches.'),
                        @('--scope', 'What it may do; give it once for each.'),
                        @('--expires', 'After this long, such as 12h, 90d or 4w.'),
                        @('--save-as', 'Save it as a profile too.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain keys list' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain keys revoke' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain people' {
                @{
                    commands = @(
                        @('add', 'Bind a customer''s id to a name.'),
                        @('list', 'List the people.'),
                        @('remove', 'Forget a binding; the facts stay, about nobody that a key can name.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain people add' {
                @{
                    commands = @()
                    options = @(
                        ,@('--name', 'The name that facts know them by.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain people list' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain people remove' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain members' {
                @{
                    commands = @(
                        @('add', 'Name a colleague.'),
                        @('list', 'List the colleagues.'),
                        @('remove', 'Forget a colleague; the facts stay, and stay inside.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain members add' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain members list' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain members remove' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain facts' {
                @{
                    commands = @(
                        @('list', 'List facts, the newest first.'),
                        @('show', 'Show all that is stored of a fact.'),
                        @('why', 'Say why a fact is there, and why it is as it is.'),
                        @('history', 'Show how the facts of a subject came to be.'),
                        @('restore', 'Let a superseded fact be current again.'),
                        @('forget', 'Remove facts for good.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain facts list' {
                @{
                    commands = @()
                    options = @(
                        @('--subject', 'Facts about this subject alone.'),
                        @('--kind', 'Facts of this kind alone, as decision.'),
                        @('--origin', 'Facts that came so alone.'),
                        @('--about', 'Facts about this person alone.'),
                        @('--past', 'The facts that were superseded, instead of the current ones.'),
                        @('--limit', 'The most facts to list.'),
                        @('-n', 'The most facts to list.')
                    )
                    places = @()
                }
            }
            'brainctl brain facts show' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain facts why' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain facts history' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain facts restore' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain facts forget' {
                @{
                    commands = @()
                    options = @(
                        @('--file', 'Ids or JSON lines with a fact_id; - is standard input.'),
                        @('-f', 'Ids or JSON lines with a fact_id; - is standard input.'),
                        @('--yes', 'Do not ask.'),
                        @('-y', 'Do not ask.')
                    )
                    places = @('text+')
                }
            }
            'brainctl brain explain' {
                @{
                    commands = @()
                    options = @(
                        @('--as', 'The name, prefix or id of the key.'),
                        @('--end-user', 'The customer whom the key would name.'),
                        @('--top', 'The most facts of each sort.'),
                        @('-n', 'The most facts of each sort.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain audit' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain semantic' {
                @{
                    commands = @(
                        @('on', 'Find facts by their meaning too.'),
                        @('off', 'Find facts by their words alone.'),
                        @('status', 'Show whether facts are found by their meaning too, and how many are.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain semantic on' {
                @{
                    commands = @()
                    options = @(
                        ,@('--wait', 'Stay until all facts are read, and show how far it is.')
                    )
                    places = @()
                }
            }
            'brainctl brain semantic off' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain semantic status' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain capture' {
                @{
                    commands = @()
                    options = @(
                        ,@('--worker', 'The worker whose model helps; main where none is named.')
                    )
                    places = @('choices:rules|model')
                }
            }
            'brainctl brain workers' {
                @{
                    commands = @(
                        @('set', 'Let a model answer.'),
                        @('list', 'List the workers that are set.'),
                        @('remove', 'Forget a worker.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain workers set' {
                @{
                    commands = @()
                    options = @(
                        @('--model', 'The model, as its endpoint calls it.'),
                        @('--base-url', 'An OpenAI-compatible endpoint, up to /v1.'),
                        @('--key-env', 'The variable that holds the endpoint''s key.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain workers list' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain workers remove' {
                @{
                    commands = @()
                    options = @()
                    places = @('text')
                }
            }
            'brainctl brain credits' {
                @{
                    commands = @(
                        @('set', 'Give so many credits, or count none.'),
                        @('show', 'Show what is left.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain credits set' {
                @{
                    commands = @()
                    options = @()
                    places = @('choices:N|off')
                }
            }
            'brainctl brain credits show' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl brain export' {
                @{
                    commands = @()
                    options = @(
                        @('--answers', 'The answers too.'),
                        @('--force', 'Replace a file that is there.')
                    )
                    places = @('files')
                }
            }
            'brainctl brain import' {
                @{
                    commands = @()
                    options = @()
                    places = @('files')
                }
            }
            'brainctl brain backup' {
                @{
                    commands = @()
                    options = @(
                        ,@('--force', 'Replace a file that is there.')
                    )
                    places = @('files')
                }
            }
            'brainctl brain move' {
                @{
                    commands = @()
                    options = @(
                        @('--to', 'A file, or postgresql://user@host/database.'),
                        @('--workspace', 'What it is called in a database; else as now.'),
                        @('--dry-run', 'Show what would be moved, and move nothing.')
                    )
                    places = @()
                }
            }
            'brainctl brain workspaces' {
                @{
                    commands = @(
                        @('create', 'Make an empty workspace, and its first key; the secret is shown this once.'),
                        @('list', 'List the workspaces, and what each holds.'),
                        @('remove', 'Remove a workspace with all that it holds.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl brain workspaces create' {
                @{
                    commands = @()
                    options = @(
                        ,@('--store', 'The store; else that of your own brain.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain workspaces list' {
                @{
                    commands = @()
                    options = @(
                        ,@('--store', 'The store; else that of your own brain.')
                    )
                    places = @()
                }
            }
            'brainctl brain workspaces remove' {
                @{
                    commands = @()
                    options = @(
                        @('--store', 'The store; else that of your own brain.'),
                        @('--yes', 'Do not ask.'),
                        @('-y', 'Do not ask.')
                    )
                    places = @('text')
                }
            }
            'brainctl brain stats' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl mcp' {
                @{
                    commands = @(
                        @('serve', 'Speak MCP on standard input and output.'),
                        @('install', 'Add the brain to an agent''s settings.'),
                        @('config', 'Print what an agent''s settings need.')
                    )
                    options = @()
                    places = @()
                }
            }
            'brainctl mcp serve' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl mcp install' {
                @{
                    commands = @()
                    options = @(
                        @('--client', 'The agent.'),
                        @('--project', 'In this folder''s settings, not the user''s.'),
                        @('--http', 'The agent calls the brain''s address itself.'),
                        @('--stdio', 'The agent starts brainctl, which calls the brain.'),
                        @('--name', 'The server''s name.'),
                        @('--dry-run', 'Show what would change, and change nothing.'),
                        @('--uninstall', 'Take the server out again.'),
                        @('--inline-key', 'Write the key itself into the file, readable by you alone.')
                    )
                    places = @()
                }
            }
            'brainctl mcp config' {
                @{
                    commands = @()
                    options = @(
                        @('--client', 'The agent.'),
                        @('--http', 'The agent calls the brain''s address itself.'),
                        @('--stdio', 'The agent starts brainctl, which calls the brain.'),
                        @('--name', 'The server''s name.')
                    )
                    places = @()
                }
            }
            'brainctl api' {
                @{
                    commands = @()
                    options = @(
                        @('--field', 'A field of the body; NAME:=JSON for other than text.'),
                        @('-f', 'A field of the body; NAME:=JSON for other than text.'),
                        @('--input', 'The whole body; - reads standard input.')
                    )
                    places = @('choices:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS', 'text')
                }
            }
            'brainctl expect' {
                @{
                    commands = @()
                    options = @(
                        @('--contains', 'A fact that is found must contain this text.'),
                        @('--fact-id', 'This fact must be found.'),
                        @('--min-facts', 'At least so many facts must be found.'),
                        @('--top', 'Look at the first K facts (default 20; with --absent 100).'),
                        @('--absent', 'Turn it round: this must not be found, or not so many.'),
                        @('--end-user', 'Your own id for the person asking; adds the facts about them.'),
                        @('--file', 'Checks as JSON lines; - reads standard input.'),
                        @('-f', 'Checks as JSON lines; - reads standard input.'),
                        @('--junit', 'Also write a JUnit XML report, for CI.')
                    )
                    places = @('text')
                }
            }
            'brainctl doctor' {
                @{
                    commands = @()
                    options = @()
                    places = @()
                }
            }
            'brainctl completion' {
                @{
                    commands = @()
                    options = @()
                    places = @('choices:bash|zsh|fish|powershell')
                }
            }
            'brainctl man' {
                @{
                    commands = @()
                    options = @()
                    places = @('folders')
                }
            }
        }
    }

    $shared = @(
        @('--output', 'How results are printed.'),
        @('-o', 'How results are printed.'),
        @('--json', 'The same as -o json.'),
        @('--profile', 'The key profile to use.'),
        @('-p', 'The key profile to use.'),
        @('--env', 'The environment whose current profile to use.'),
        @('-e', 'The environment whose current profile to use.'),
        @('--quiet', 'Only errors on standard error.'),
        @('-q', 'Only errors on standard error.'),
        @('--verbose', 'Show each request and reply, secrets masked.'),
        @('-v', 'Show each request and reply, secrets masked.'),
        @('--color', 'When to colour.'),
        @('--retries', 'Tries after the first (default 3; 0 off).'),
        @('--timeout', 'For one HTTP exchange (default 30).'),
        @('--help', 'Show this message and exit.'),
        @('-h', 'Show this message and exit.')
    )

    # What follows an option of a command; nothing where it takes no value.
    function takes($path, $option) {
        switch -CaseSensitive ("$path $option") {
            'brainctl search --limit' { return 'text' }
            'brainctl search -n' { return 'text' }
            'brainctl search --end-user' { return 'text' }
            'brainctl search --end-user-name' { return 'text' }
            'brainctl search --batch' { return 'files' }
            'brainctl search --resume' { return 'text' }
            'brainctl context --token-budget' { return 'text' }
            'brainctl context -b' { return 'text' }
            'brainctl context --expect-version' { return 'text' }
            'brainctl context --end-user' { return 'text' }
            'brainctl context --end-user-name' { return 'text' }
            'brainctl context --batch' { return 'files' }
            'brainctl context --resume' { return 'text' }
            'brainctl teach --file' { return 'files' }
            'brainctl teach -f' { return 'files' }
            'brainctl teach --format' { return 'choices:text|jsonl|csv' }
            'brainctl teach --report' { return 'files' }
            'brainctl teach --rejected' { return 'files' }
            'brainctl ask --conversation' { return 'text' }
            'brainctl ask -c' { return 'text' }
            'brainctl ask --agent' { return 'text' }
            'brainctl ask --wait' { return 'text' }
            'brainctl ask -w' { return 'text' }
            'brainctl ask --idempotency-key' { return 'text' }
            'brainctl ask --end-user' { return 'text' }
            'brainctl ask --end-user-name' { return 'text' }
            'brainctl ask --batch' { return 'files' }
            'brainctl ask --resume' { return 'text' }
            'brainctl ask --concurrency' { return 'text' }
            'brainctl wait --wait' { return 'text' }
            'brainctl wait -w' { return 'text' }
            'brainctl keys add --base-url' { return 'text' }
            'brainctl keys add --store' { return 'text' }
            'brainctl keys add --key-env' { return 'text' }
            'brainctl keys add --key-command' { return 'text' }
            'brainctl brain init --store' { return 'text' }
            'brainctl brain init --workspace' { return 'text' }
            'brainctl brain init --capture' { return 'choices:rules|model' }
            'brainctl brain serve --store' { return 'text' }
            'brainctl brain serve --host' { return 'text' }
            'brainctl brain serve --port' { return 'text' }
            'brainctl brain serve --processes' { return 'text' }
            'brainctl brain serve --workers' { return 'text' }
            'brainctl brain serve --allow-host' { return 'text' }
            'brainctl brain serve --allow-origin' { return 'text' }
            'brainctl brain keys create --audience' { return 'choices:internal|external' }
            'brainctl brain keys create --scope' { return 'text' }
            'brainctl brain keys create --expires' { return 'text' }
            'brainctl brain keys create --save-as' { return 'profiles' }
            'brainctl brain people add --name' { return 'text' }
            'brainctl brain facts list --subject' { return 'text' }
            'brainctl brain facts list --kind' { return 'text' }
            'brainctl brain facts list --origin' { return 'choices:user_stated|ingested|agent_inferred|agent_action|system' }
            'brainctl brain facts list --about' { return 'text' }
            'brainctl brain facts list --limit' { return 'text' }
            'brainctl brain facts list -n' { return 'text' }
            'brainctl brain facts forget --file' { return 'files' }
            'brainctl brain facts forget -f' { return 'files' }
            'brainctl brain explain --as' { return 'text' }
            'brainctl brain explain --end-user' { return 'text' }
            'brainctl brain explain --top' { return 'text' }
            'brainctl brain explain -n' { return 'text' }
            'brainctl brain capture --worker' { return 'text' }
            'brainctl brain workers set --model' { return 'text' }
            'brainctl brain workers set --base-url' { return 'text' }
            'brainctl brain workers set --key-env' { return 'text' }
            'brainctl brain move --to' { return 'text' }
            'brainctl brain move --workspace' { return 'text' }
            'brainctl brain workspaces create --store' { return 'text' }
            'brainctl brain workspaces list --store' { return 'text' }
            'brainctl brain workspaces remove --store' { return 'text' }
            'brainctl mcp install --client' { return 'choices:claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode' }
            'brainctl mcp install --name' { return 'text' }
            'brainctl mcp config --client' { return 'choices:claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode' }
            'brainctl mcp config --name' { return 'text' }
            'brainctl api --field' { return 'text' }
            'brainctl api -f' { return 'text' }
            'brainctl api --input' { return 'files' }
            'brainctl expect --contains' { return 'text' }
            'brainctl expect --fact-id' { return 'text' }
            'brainctl expect --min-facts' { return 'text' }
            'brainctl expect --top' { return 'text' }
            'brainctl expect --end-user' { return 'text' }
            'brainctl expect --file' { return 'files' }
            'brainctl expect -f' { return 'files' }
            'brainctl expect --junit' { return 'files' }
        }
        switch -CaseSensitive ($option) {
            '--output' { return 'choices:human|json|jsonl' }
            '-o' { return 'choices:human|json|jsonl' }
            '--profile' { return 'profiles' }
            '-p' { return 'profiles' }
            '--env' { return 'environments' }
            '-e' { return 'environments' }
            '--color' { return 'choices:auto|always|never' }
            '--retries' { return 'text' }
            '--timeout' { return 'text' }
        }
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
