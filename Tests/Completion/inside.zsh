# Part of bgtask, under the Apache License 2.0; see LICENSE.
#
# Completions of zsh run only in its line editor: compadd, which gets the words, prints them.
PROMPT=
fpath=("${1:A:h}" $fpath)
autoload -Uz compinit
compinit -D -u
bindkey '^I' complete-word
zstyle ':completion:*' insert-tab false
mark() { print -rn -- $'\0' }
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
    (( $#words == 0 )) || print -rl -- $words
    builtin compadd "$@"
}
print ready
