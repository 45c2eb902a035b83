# Part of bgtask, under the Apache License 2.0; see LICENSE.
/^\.Nm ./ && !named {
    typed = substr($0, 5)
    name = typed
    gsub(/"/, "", name)
    gsub(/ /, "-", name)
    print ".Nm " name
    named = 1
    next
}
/^\.Nm$/ { print ".Nm " typed; next }
/^\.Nd "/ { gsub(/"/, ""); sub(/\.$/, "") }
/^$/ { print ".Pp"; next }
{ print }
