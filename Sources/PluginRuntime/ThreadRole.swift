// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The kind of callback that the calling thread is in. It limits the calls that are allowed on the thread (BGT-ABI-12).
/// Empty on a thread of the plugin's own.
struct ThreadRole: OptionSet {
    let rawValue: UInt

    static let pendingVisitor = ThreadRole(rawValue: 1)
    /// Entry, a handler, `receive`, an expiration handler, `stop` or the release of a context. Every call is allowed,
    /// and the thread returns to the runner.
    static let callback = ThreadRole(rawValue: 2)
    /// A callback whose return the end of the launch awaits.
    static let counted = ThreadRole(rawValue: 4)
    /// The expiration handler of an assertion. The end of the launch awaits its return separately from that of the
    /// other callbacks.
    static let assertionHandler = ThreadRole(rawValue: 8)
    /// `run_main`. Its calls count like calls of the plugin's own threads, because the end of the launch does not await
    /// its return.
    static let mainLoop = ThreadRole(rawValue: 16)

    static var current: ThreadRole {
        ThreadRole(rawValue: UInt(bitPattern: pthread_getspecific(roleKey)))
    }

    /// Whether the calling thread is the plugin's own, or the main thread in `run_main`.
    static var isOfPlugin: Bool { current.isSubset(of: .mainLoop) }

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
    let status = pthread_key_create(&key) { role in
        // Called only while the thread has a role: the callback ended its thread instead of returning.
        HostTable.launch?.threadEnded(in: ThreadRole(rawValue: UInt(bitPattern: role)))
    }
    precondition(status == 0, "a process that has loaded nothing yet has a thread-specific key left")
    return key
}()
