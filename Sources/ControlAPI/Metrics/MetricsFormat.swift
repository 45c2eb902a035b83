// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The text formats of `GET /v1/metrics`.
package enum MetricsFormat: Hashable, Sendable, CaseIterable {
    /// The text format 0.0.4 of Prometheus.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// The value of the `Accept` field with which a client requests the format.
    package var accept: String { contentType }

    /// The format that a client prefers: OpenMetrics when the field names it with at least the quality of plain text,
    /// the format of Prometheus otherwise.
    ///
    /// - Parameter accept: the value of the field `Accept`; nil for none.
    package init(accepting accept: String?) {
        var (openMetrics, plain) = (0.0, 0.0)
        for range in (accept ?? "").split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let type = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst("version=".count)
            if type == "application/openmetrics-text", version == nil || version == "1.0.0" {
                openMetrics = max(openMetrics, quality)
            } else if ["text/plain", "text/*"].contains(type) {
                plain = max(plain, quality)
            }
        }
        self = openMetrics > 0 && openMetrics >= plain ? .openMetrics : .prometheus
    }
}
