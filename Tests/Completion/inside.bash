# Part of bgtask, under the Apache License 2.0; see LICENSE.
PS1=
source "$1"
offer() {
    COMP_LINE=$READLINE_LINE
    COMP_POINT=${#COMP_LINE}
    COMP_TYPE=9
    COMP_KEY=9
    read -r -a COMP_WORDS <<< "$COMP_LINE"
    [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    # The function in "complete -F FUNCTION bgtask".
    local specification=($(complete -p "${COMP_WORDS[0]}")) index function=
    for index in "${!specification[@]}"; do
        [ "${specification[index]}" != -F ] || function=${specification[index + 1]}
    done
    COMPREPLY=()
    "$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    printf '\0'
    printf '%s\n' "${COMPREPLY[@]}"
    printf '\0'
}
bind -x '"\t": offer'
echo ready
