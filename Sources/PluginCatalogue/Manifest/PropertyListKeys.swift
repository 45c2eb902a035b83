// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML

/// Finds the keys that occur more than once in the root dictionary of an XML property list.
///
/// It scans the tags of a text that a parser has accepted, and does not check values.
struct PropertyListKeys {
    private(set) var repeated: [(key: String, position: TextPosition)] = []
    private var seen: Set<String> = []
    private var rest: ArraySlice<UInt8>
    private var line = 1
    /// Index of the start of the line in which `rest` begins.
    private var lineStart: Int
    private var open: [[UInt8]] = []

    init(of bytes: [UInt8]) {
        rest = bytes[...]
        lineStart = bytes.startIndex
        while skip(to: "<") { takeTag() }
    }

    private mutating func takeTag() {
        let position = TextPosition(line: line, column: rest.startIndex - lineStart + 1)
        if rest.starts(with: "<!--".utf8) {
            skip(past: "-->")
        } else if rest.starts(with: "<?".utf8) {
            skip(past: "?>")
        } else if rest.starts(with: "<![CDATA[".utf8) {
            skip(past: "]]>")
        } else if rest.starts(with: "<!".utf8) {
            skipDeclaration()
        } else {
            let start = rest.startIndex + 1
            let whole = rest
            skip(past: ">")
            let tag = whole[start..<max(start, rest.startIndex - 1)]
            let name = Array(tag.prefix { !Self.endsName($0) })
            if tag.first == UInt8(ascii: "/") {
                open.removeLast(open.isEmpty ? 0 : 1)
            } else if tag.last == UInt8(ascii: "/") || name == Array("plist".utf8) {
                return
            } else if name == Array("key".utf8) {
                takeKey(at: position)
            } else {
                open.append(name)
            }
        }
    }

    /// Reads a key's text and its end tag, and records a repeated key.
    private mutating func takeKey(at position: TextPosition) {
        var text: [UInt8] = []
        while let next = rest.first, !rest.starts(with: "</key".utf8) {
            if rest.starts(with: "<![CDATA[".utf8) {
                let start = rest.startIndex + "<![CDATA[".utf8.count
                let whole = rest
                skip(past: "]]>")
                text += whole[start..<max(start, rest.startIndex - "]]>".utf8.count)]
            } else if rest.starts(with: "<!--".utf8) {
                skip(past: "-->")
            } else if next == UInt8(ascii: "&") {
                text += takeEntity()
            } else {
                text.append(next)
                advance(by: 1)
            }
        }
        skip(past: ">")
        guard open == [Array("dict".utf8)] else { return }
        let key = String(decoding: text, as: UTF8.self)
        if !seen.insert(key).inserted { repeated.append((key, position)) }
    }

    private mutating func takeEntity() -> [UInt8] {
        let entity = rest.prefix { $0 != UInt8(ascii: ";") }.dropFirst()
        advance(by: min(rest.count, entity.count + 2))
        let name = String(decoding: entity, as: UTF8.self)
        let known = ["lt": "<", "gt": ">", "amp": "&", "apos": "'", "quot": "\""]
        if let text = known[name] { return Array(text.utf8) }
        let number =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        return number.flatMap(Unicode.Scalar.init).map { Array(String(Character($0)).utf8) } ?? Array("&\(name);".utf8)
    }

    // MARK: Scanning

    /// Advances to the next `mark`; false when the text ends first.
    private mutating func skip(to mark: Character) -> Bool {
        let byte = mark.asciiValue
        advance(by: (rest.firstIndex { $0 == byte } ?? rest.endIndex) - rest.startIndex)
        return !rest.isEmpty
    }

    private mutating func skip(past mark: StaticString) {
        let wanted = mark.withUTF8Buffer { Array($0) }
        while !rest.isEmpty && !rest.starts(with: wanted) { advance(by: 1) }
        advance(by: min(rest.count, wanted.count))
    }

    /// Skips a declaration. A document type may contain further declarations in brackets.
    private mutating func skipDeclaration() {
        var isInside = false
        while let byte = rest.first {
            advance(by: 1)
            if byte == UInt8(ascii: "[") { isInside = true }
            if byte == UInt8(ascii: "]") { isInside = false }
            if byte == UInt8(ascii: ">") && !isInside { return }
        }
    }

    private mutating func advance(by count: Int) {
        for byte in rest.prefix(count) {
            rest.removeFirst()
            if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, rest.startIndex) }
        }
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        " \t\r\n/".utf8.contains(byte)
    }
}
