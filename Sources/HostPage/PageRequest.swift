// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import NIOHTTP1

/// A request of a browser. Its head is judged before its body is read.
struct PageRequest: Hashable, Sendable {
    let method: String
    /// The path and the query, as in the request line.
    let target: String
    /// The fields with their names in lower case.
    let fields: [String: [String]]
    var body: [UInt8] = []

    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the request is for a file of the page, which needs no token.
    var isForFile: Bool { PageFile.at(path) != nil }

    /// Whether the head announces a body.
    var announcesBody: Bool {
        fields["transfer-encoding"] != nil || !(fields["content-length"] ?? []).allSatisfy { $0 == "0" }
    }

    /// Whether the announced length exceeds the limit. A body in chunks announces none, and is measured as it arrives.
    var announcesTooLargeBody: Bool {
        (fields["content-length"] ?? []).contains { Int($0).map { $0 > maximumBody } ?? true }
    }

    /// Maximum size of the body in bytes: that of the route; 0 for a file.
    var maximumBody: Int { Route.matching(method: method, path: path)?.route.maximumBody ?? 0 }

    init(_ head: HTTPRequestHead) {
        let fields = head.headers.map { (name: $0.name, value: $0.value) }
        self.init(method: head.method.rawValue, target: head.uri, fields: fields)
    }

    init(method: String, target: String, fields: some Sequence<(name: String, value: String)>) {
        self.method = method
        self.target = target
        var all: [String: [String]] = [:]
        for field in fields { all[field.name.lowercased(), default: []].append(field.value) }
        self.fields = all
    }

    /// The value of a field that the request has once; nil when it is missing or repeated.
    func only(_ name: String) -> String? {
        let values = fields[name] ?? []
        return values.count == 1 ? values[0] : nil
    }
}
