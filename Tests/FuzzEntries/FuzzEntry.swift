// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A reader of outside data, fed with arbitrary bytes. `make fuzz` searches for inputs that break it, and `make test`
/// replays the recorded ones.
package protocol FuzzEntry: Sendable {
    /// The promise that the reader breaks for these bytes; nil when it keeps all of them. A trap or a hang of the
    /// reader breaks a promise, too.
    func problem(with bytes: [UInt8]) -> String?
}
