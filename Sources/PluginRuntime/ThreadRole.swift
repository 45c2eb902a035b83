// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The kind of callback that the calling thread is in. It limits the calls that are allowed on the thread (BGT-ABI-12).
/// Empty on a thread of the plugin's own.
struct ThreadRole: OptionSet {
    let rawValue: UInt

    static let pendingVisitor = ThreadRole(rawValue: 1)
    static let expirationHandler = ThreadRole(rawValue: 2)
    /// Entry, a handler, `receive` or `stop`. Every call is allowed, and the thread returns to the runner.
    static let callback = ThreadRole(rawValue: 4)

    static var current: ThreadRole {
        ThreadRole(rawValue: UInt(bitPattern: pthread_getspecific(roleKey)))
    }

    /// Gives the calling thread the role, in addition to its others, while `body` runs.
    static func with<Result>(_ role: ThreadRole, _ body: () -> Result) -> Result {
        let outer = current
        pthread_setspecific(roleKey, UnsafeRawPointer(bitPattern: outer.union(role).rawValue))
        defer { pthread_setspecific(roleKey, UnsafeRawPointer(bitPattern: outer.rawValue)) }
        return body()
    }
}

private let roleKey: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "a process that has loaded nothing yet has a thread-specific key left")
    return key
}()
