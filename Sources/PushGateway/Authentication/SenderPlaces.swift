// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The pushes in progress of each key and webhook. A sender takes at most a part of the places at the host, so that it
/// delays no other.
package final class SenderPlaces: Sendable {
    private let most: Int
    private let taken = Mutex<[String: Int]>([:])

    package init(_ most: Int) { self.most = most }

    /// Takes a place for a push of a sender; false when the sender has all of its places.
    package func take(_ sender: String) -> Bool {
        taken.withLock { taken in
            let count = taken[sender, default: 0]
            if count >= most { return false }
            taken[sender] = count + 1
            return true
        }
    }

    package func release(_ sender: String) {
        taken.withLock { taken in
            let count = taken[sender, default: 0]
            taken[sender] = count > 1 ? count - 1 : nil
        }
    }
}
