// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension String {
    /// The string in quotes, cut to 300 scalars. Characters that could break a log line or a terminal are escaped.
    package var inQuotes: String {
        let limit = 300
        var shown = ""
        for scalar in unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > limit ? "\"\(shown)...\"" : "\"\(shown)\""
    }
}
