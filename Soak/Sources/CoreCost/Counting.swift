// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Fixed amounts of each operation for callgrind, which collects instructions only inside `counted_...` and writes one
// file per function. No closures: callgrind would treat them as further functions of that name.

/// Number of operations in each counted function except `counted_condition`, which makes one change.
let countedOperations = 100

@inline(never) func counted_submit(_ host: inout CoreHost) {
    var left = countedOperations
    while left > 0 {
        host.submit()
        left -= 1
    }
}

@inline(never) func counted_chain(_ host: inout CoreHost) {
    var left = countedOperations
    while left > 0 {
        host.runToCompletion()
        left -= 1
    }
}

@inline(never) func counted_complete(_ host: inout CoreHost) {
    var left = countedOperations
    while left > 0 {
        host.complete()
        left -= 1
    }
}

@inline(never) func counted_why(_ host: inout CoreHost) {
    var left = countedOperations
    while left > 0 {
        host.explain()
        left -= 1
    }
}

/// One change of the low-memory condition, which affects the requests of all plugins.
@inline(never) func counted_condition(_ host: inout CoreHost) { host.setMemoryLow(true) }

extension CoreHost {
    /// Runs the counted amounts after a warm-up, which excludes the initial growth of tables and caches.
    mutating func runCounted() {
        for _ in 0..<20 {
            submit()
            runToCompletion()
            explain()
        }
        setMemoryLow(true)
        setMemoryLow(false)
        counted_submit(&self)
        counted_chain(&self)
        for _ in 0..<countedOperations { start() }
        counted_complete(&self)
        finish()
        counted_why(&self)
        counted_condition(&self)
    }
}
