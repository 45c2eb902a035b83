// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Repeated keys that are made unique, so that the parser does not stop: one character is inserted into each key, and
/// removed after parsing.
struct KeyDisguises {
    /// Positions of the keys in the original file, in its order.
    private var places: [TextPosition] = []

    var count: Int { places.count }

    // Private-use characters, which no valid key contains.
    private static func mark(_ index: Int) -> Unicode.Scalar { Unicode.Scalar(UInt32(0xe000 + index)) ?? "\u{e000}" }

    /// Adds the repeated key at `place`, which `applied` makes unique by an inserted character. Returns false when the
    /// key was added before, its notation does not allow an inserted character, or `place` is outside of the text.
    mutating func add(at place: TextPosition, in text: String) -> Bool {
        guard !places.contains(place), let index = TextPosition.index(of: place, in: text) else { return false }
        if ["&", "!", "*", "?", "|", ">", "[", "{"].contains(text.unicodeScalars[index]) { return false }
        places.append(place)
        places.sort()
        return true
    }

    func applied(to text: String) -> String {
        if places.isEmpty { return text }
        var scalars = text.unicodeScalars
        // From the end, so that earlier positions stay valid.
        for (number, place) in places.enumerated().reversed() {
            guard var index = TextPosition.index(of: place, in: text) else { continue }
            if ["\"", "'"].contains(text.unicodeScalars[index]) { index = text.unicodeScalars.index(after: index) }
            scalars.insert(Self.mark(number), at: index)
        }
        return String(scalars)
    }

    func undisguised(_ key: String) -> String {
        guard !places.isEmpty, let first = key.unicodeScalars.first, (0xe000...0xe0ff).contains(first.value) else {
            return key
        }
        return String(String.UnicodeScalarView(key.unicodeScalars.dropFirst()))
    }

    /// The position in the original file for a position that the parser reported.
    func original(_ position: TextPosition) -> TextPosition {
        let inserted = places.filter { $0.line == position.line }.enumerated().count { index, place in
            place.column + index < position.column
        }
        return TextPosition(line: position.line, column: position.column - inserted)
    }
}

extension TextPosition {
    /// Index of this position in `text`, the document that was parsed; nil when the position is outside of it.
    package func index(in text: String) -> String.Index? { Self.index(of: self, in: text) }

    /// Index of a position; nil outside of the text. Lines are counted as by the YAML parser.
    static func index(of position: TextPosition, in text: String) -> String.UnicodeScalarView.Index? {
        guard position.line > 0, position.column > 0 else { return nil }
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        var line = 1
        while line < position.line {
            guard let lineEnd = scalars[index...].firstIndex(where: isBreak) else { return nil }
            let next = scalars.index(after: lineEnd)
            let isPair = scalars[lineEnd] == "\r" && next < scalars.endIndex && scalars[next] == "\n"
            index = isPair ? scalars.index(after: next) : next
            line += 1
        }
        return scalars.index(index, offsetBy: position.column - 1, limitedBy: scalars.endIndex)
            .flatMap { $0 < scalars.endIndex ? $0 : nil }
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
    }
}
