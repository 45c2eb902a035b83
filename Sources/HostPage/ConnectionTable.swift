// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Decides which connections of the page stay open. At the limit, the oldest connection without an authenticated call is
/// closed for a new one: other users of the machine can connect, and do not have the token.
struct ConnectionTable {
    /// The result of a new connection.
    struct Opening: Hashable {
        /// The number of the new connection.
        let number: Int
        /// The number of the connection to close; nil without one.
        let closing: Int?
    }

    private let limit: Int
    private var lastNumber = 0
    private var authenticated: Set<Int> = []
    private var unauthenticated: Set<Int> = []

    init(_ limit: Int) { self.limit = limit }

    /// Adds a connection. Returns nil at the limit when all connections are authenticated.
    mutating func open() -> Opening? {
        var closing: Int?
        if authenticated.count + unauthenticated.count >= limit {
            guard let oldest = unauthenticated.min() else { return nil }
            unauthenticated.remove(oldest)
            closing = oldest
        }
        lastNumber += 1
        unauthenticated.insert(lastNumber)
        return Opening(number: lastNumber, closing: closing)
    }

    /// Notes a call with the token; does nothing for a closed connection.
    mutating func noteToken(_ number: Int) {
        if unauthenticated.remove(number) != nil { authenticated.insert(number) }
    }

    mutating func close(_ number: Int) {
        authenticated.remove(number)
        unauthenticated.remove(number)
    }
}
