# Part of bgtask, under the Apache License 2.0; see LICENSE.
source $argv[1]
function fish_prompt
end
function offer
    set -l words (complete -C (commandline -c) | string split -f 1 \t)
    printf '\0'
    printf '%s\n' $words
    printf '\0'
end
bind \t offer
echo ready
