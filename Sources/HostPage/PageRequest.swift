// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A request of a browser, with its whole body.
struct PageRequest: Hashable, Sendable {
    let method: String
    /// The path and the query, as in the request line.
    let target: String
    /// The fields with their names in lower case.
    let fields: [String: [String]]
    var body: [UInt8] = []
    /// Whether the body exceeds the limit; then `body` is only its beginning.
    var isTooLarge = false

    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }

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
