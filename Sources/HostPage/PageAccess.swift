// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// Decides which requests the page serves: those of its own scripts, in a browser of the user who has the token.
package struct PageAccess: Sendable {
    /// The secret of this session: 64 hexadecimal digits.
    package let token: String
    package let isReadOnly: Bool

    package init(token: String, isReadOnly: Bool) {
        (self.token, self.isReadOnly) = (token, isReadOnly)
    }

    /// A new token of 256 random bits.
    package static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        return String((0..<64).map { _ in digits[Int(random.next(upperBound: UInt(16)))] })
    }

    /// The reason to refuse a request by its head; nil for a permitted one.
    ///
    /// - Parameter port: the port of the server, which the field `Host` has to name. A page of another site whose name
    ///   resolves to 127.0.0.1 sends that name.
    func refusal(of request: PageRequest, port: Int) -> PageRefusal? {
        let hosts = ["127.0.0.1", "localhost"].map { "\($0):\(port)" }
        guard let host = request.only("host"), hosts.contains(host.lowercased()) else { return .foreignHost }
        if request.isForFile { return Self.refusal(unlessGet: request) }
        return refusal(ofCall: request)
    }

    /// The reason to refuse a call, which can read or change data.
    private func refusal(ofCall request: PageRequest) -> PageRefusal? {
        guard ["same-origin", "none"].contains(request.only("sec-fetch-site")) else { return .crossSite }
        guard let given = request.only("authorization"), Self.isEqual(given, "Bearer \(token)") else { return .noToken }
        if request.path == PageSession.path { return Self.refusal(unlessGet: request) }
        guard request.path.hasPrefix("/") else { return .noRoute }
        guard let route = Route.matching(method: request.method, path: request.path)?.route else {
            let methods = Route.methods(at: request.path)
            return methods.isEmpty
                ? .noRoute : .wrongMethod(request.method, path: request.path, allowed: methods)
        }
        // A forecast changes nothing, although its order is the body of a POST.
        if isReadOnly, request.method != "GET", route.role != .read { return .readOnly }
        if request.announcesTooLargeBody { return .tooLarge }
        let hasType = request.only("content-type")?.lowercased().hasPrefix("application/json") == true
        return hasType || !request.announcesBody ? nil : .notJSON
    }

    private static func refusal(unlessGet request: PageRequest) -> PageRefusal? {
        request.method == Route.Method.get.rawValue
            ? nil : .wrongMethod(request.method, path: request.path, allowed: [.get])
    }

    /// Compares in a time that does not depend on the first difference.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
