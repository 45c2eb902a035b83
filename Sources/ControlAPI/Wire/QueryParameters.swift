// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The decoded query of a call. Each name may occur once, and only names of the route are permitted.
///
/// A plus sign is not decoded as a space, because RFC 3339 times contain it; a space is `%20`.
package struct QueryParameters: Hashable, Sendable {
    private var values: [String: String] = [:]

    package init(_ query: String?, of route: Route) throws(RouteError) {
        for item in (query ?? "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(String(parts[0])),
                let value = PercentCoding.decode(parts.count > 1 ? String(parts[1]) : "")
            else {
                let problem = "query \(item) has an invalid percent escape"
                throw RouteError(.queryInvalid, problem, remedy: "write UTF-8 bytes as %XX, a percent sign as %25")
            }
            guard route.queryNames.contains(name) else { throw Self.unknown(name, of: route) }
            guard values.updateValue(value, forKey: name) == nil else {
                let problem = "query \(name) is given more than once"
                throw RouteError(.queryRepeated, field: name, problem, remedy: "give it once")
            }
        }
    }

    package func value(_ name: String) -> String? { values[name] }

    private static func unknown(_ name: String, of route: Route) -> RouteError {
        RouteError(
            .queryUnknown,
            field: name,
            "query \(name) is not a parameter of \(route)",
            remedy: route.queryNames.isEmpty
                ? "leave the query out" : NearestWord.remedy(for: name, among: route.queryNames)
        )
    }
}
