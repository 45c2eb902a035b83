# Part of bgtask, under the Apache License 2.0; see LICENSE.
#
# The interactive zsh of Tests/Completion/zsh: loads the completion script, and prints completions instead of showing
# them.
PROMPT=
fpath=("${1:A:h}" $fpath)
autoload -Uz compinit
compinit -D -u
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
mark() { print -r -- $'\0' }
compprefuncs=(mark)
comppostfuncs=(mark)
compadd() {
    # A call that only fills arrays.
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
        builtin compadd "$@"
        return
    fi
    local -a words
    builtin compadd -A words "$@"
    print -rl -- $words
    builtin compadd "$@"
}
print ready
