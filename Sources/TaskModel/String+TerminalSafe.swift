// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension String {
    /// The string with control characters escaped, so that a plugin's text cannot control a terminal or break a table
    /// or a log.
    package var terminalSafe: String {
        if !unicodeScalars.contains(where: \.isControl) { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                result += scalar == "\n" ? "\\n" : scalar == "\t" ? "\\t" : scalar.escaped(asASCII: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    // Includes overrides of the writing direction: they change how text reads.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
