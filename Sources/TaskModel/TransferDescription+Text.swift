// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The payload of a transfer: lines `key: value` in UTF-8. No value has a control character, so that nothing is escaped.
extension TransferDescription {
    private enum Key: String, CaseIterable {
        case kind
        case session
        case label
        case url
        case method
        case header
        case secretHeader = "secret-header"
        case file
        case size
        case sha256
        case discretionary
    }

    /// The text of the description, a line for each value that is set.
    package var text: String {
        var lines: [(Key, String)] = [(.kind, direction.name), (.session, session.text), (.url, url)]
        if let label { lines.append((.label, label)) }
        if let method { lines.append((.method, method)) }
        lines += headers.map { ($0.isSecret ? .secretHeader : .header, "\($0.name): \($0.value)") }
        if let file { lines.append((.file, file)) }
        if let size { lines.append((.size, "\(size)")) }
        if let sha256 { lines.append((.sha256, sha256)) }
        if isDiscretionary { lines.append((.discretionary, "1")) }
        return lines.map { "\($0.rawValue): \($1)\n" }.joined()
    }

    /// Reads a description from its text; nil when a line is unknown or repeated, or has an invalid value.
    package init?(text: String) {
        var values: [Key: String] = [:]
        var headers: [Header] = []
        for line in text.split(separator: "\n") {
            guard let (word, value) = Self.parts(of: line), let key = Key(rawValue: word) else { return nil }
            switch key {
            case .header, .secretHeader:
                guard let (name, value) = Self.parts(of: value[...]) else { return nil }
                headers.append(Header(name: name, value: value, isSecret: key == .secretHeader))
            default:
                guard values.updateValue(value, forKey: key) == nil else { return nil }
            }
        }
        guard let direction = Direction.allCases.first(where: { $0.name == values[.kind] }),
            let session = values[.session].flatMap(TransferSession.init), let url = values[.url],
            values[.size].map({ UInt64($0) != nil }) ?? true, ["1", nil].contains(values[.discretionary])
        else { return nil }
        self.init(
            direction: direction,
            session: session,
            label: values[.label],
            url: url,
            method: values[.method],
            headers: headers,
            file: values[.file],
            size: values[.size].flatMap { UInt64($0) },
            sha256: values[.sha256],
            isDiscretionary: values[.discretionary] != nil
        )
    }

    /// The parts of a line before and after its first colon and space.
    private static func parts(of line: Substring) -> (String, String)? {
        guard let mark = line.firstRange(of: ": ") else { return nil }
        return (String(line[..<mark.lowerBound]), String(line[mark.upperBound...]))
    }
}
