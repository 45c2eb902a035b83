// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML

/// The `Info.plist` of a plugin with a YAML manifest, as an XML property list.
struct InfoPropertyList: Hashable {
    enum Value: Hashable {
        case text(String)
        case integer(Int)
        case boolean(Bool)
        case list([String])
    }

    private var values: [String: Value]

    /// - Parameters:
    ///   - version: the version of the plugin; nil when the manifest has none.
    ///   - permitted: the permitted identifiers, with patterns.
    ///   - added: keys of the vendor; they replace those that follow from the manifest.
    init(
        identifier: String,
        name: String,
        version: String?,
        permitted: [String],
        modes: [String],
        adding added: [String: Value]
    ) {
        var values: [String: Value] = [
            "CFBundleInfoDictionaryVersion": .text("6.0"), "CFBundleIdentifier": .text(identifier),
            "CFBundleName": .text(name), "CFBundleDisplayName": .text(name),
            // The name of the program in the bundle.
            "CFBundleExecutable": .text("bgtask-runner"),
        ]
        if let version {
            values["CFBundleShortVersionString"] = .text(version)
            values["CFBundleVersion"] = .text(version)
        }
        if !permitted.isEmpty { values["BGTaskSchedulerPermittedIdentifiers"] = .list(permitted) }
        if !modes.isEmpty { values["UIBackgroundModes"] = .list(modes) }
        self.values = values.merging(added) { _, added in added }
    }

    /// The property list, with sorted keys.
    var text: String {
        let lines = values.sorted { $0.key < $1.key }.map { key, value in
            "<key>\(Self.escaped(key))</key>\(Self.element(value))\n"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \(lines.joined())</dict>
            </plist>

            """
    }

    private static func element(_ value: Value) -> String {
        switch value {
        case .text(let text): "<string>\(escaped(text))</string>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .boolean(let flag): flag ? "<true/>" : "<false/>"
        case .list(let texts): "<array>\(texts.map { "<string>\(escaped($0))</string>" }.joined())</array>"
        }
    }

    /// The text with references for the characters that have a meaning in XML. A character that XML does not permit
    /// becomes U+FFFD.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            // A parser would replace a carriage return by a line feed.
            case "\r": escaped += "&#13;"
            case "\t", "\n", "\u{20}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}": escaped.unicodeScalars.append(scalar)
            default: escaped += "\u{FFFD}"
            }
        }
        return escaped
    }
}

extension InfoPropertyList.Value {
    /// The value of a YAML node; nil for a list, a mapping, a null value and a refused value. An unquoted number with
    /// leading zeros is a text.
    init?(_ node: YAMLNode) {
        guard case .text(let text, let isQuoted) = node.content, !node.isNothing else { return nil }
        if isQuoted {
            self = .text(text)
        } else if text == "true" || text == "false" {
            self = .boolean(text == "true")
        } else if let number = Int(text), "\(number)" == text {
            self = .integer(number)
        } else {
            self = .text(text)
        }
    }
}
