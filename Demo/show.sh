# Part of bgtask, under the Apache License 2.0; see LICENSE.
#
# The output of the demos: chapters, commands, promises, and the conclusion. Sourced by Demo/run and Demo/fleet in the
# directory of the repository.

promises=0
after_output=no
broken=()
chapter="before the first chapter"

bold='' plain=''
width=${COLUMNS:-120}
if [ -t 1 ]; then
    [ -n "${NO_COLOR:-}" ] || { bold=$'\e[1m' plain=$'\e[0m'; }
    width=$(stty size </dev/tty 2>/dev/null | cut -d ' ' -f 2) || width=120
fi
[[ $width =~ ^[0-9]+$ && $width -ge 60 ]] || width=120

chapter() {
    chapter=$1
    printf '\n%s== %s ==%s\n' "$bold" "$1" "$plain"
}

say() { printf '%s\n' "$@"; }

show() { printf '\n%s$ %s%s\n' "$bold" "$1" "$plain"; }

# Prints a command, then its output.
try() {
    show "$1"
    eval "$1" 2>&1 | python3 Demo/wrap.py "$width"
    after_output=yes
}

# Checks one claim. Arguments: the claim, the value found, the value expected.
promise() {
    promises=$((promises + 1))
    [ "$after_output" = no ] || echo
    after_output=no
    if [ "$2" = "$3" ]; then
        printf '  [ok] %s\n' "$1"
    else
        printf '  [BROKEN] %s: "%s" was found, not "%s"\n' "$1" "$2" "$3"
        broken+=("$1")
    fi
}

# Ends a process with SIGTERM; after ten seconds with SIGKILL.
end_process() {
    kill -TERM "$1" 2>/dev/null || true
    for _ in {1..100}; do
        kill -0 "$1" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null || true
    wait "$1"
}

# Prints whether everything that the demo promised happened. Returns 1 unless it did. Argument: the status so far.
conclude() {
    local status=$1
    if [ "$status" -ne 0 ]; then
        printf '\ndemo: FAILED in "%s" after %s s; not everything that it promised happened\n' "$chapter" "$SECONDS"
    elif [ "${#broken[@]}" -ne 0 ]; then
        printf '\ndemo: FAILED: %s of %s promises were broken, in %s s; first: %s\n' \
            "${#broken[@]}" "$promises" "$SECONDS" "${broken[0]}"
        status=1
    else
        printf '\ndemo: everything that it promised happened: %s promises kept in %s s, nothing left behind\n' \
            "$promises" "$SECONDS"
    fi
    return "$status"
}
