// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux

extension String {
    /// The number of terminal cells that the string occupies: none for combining characters, two for wide ones.
    package var displayWidth: Int {
        isPrintableASCII ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// The string cut to `width` cells: unchanged when it fits, otherwise its beginning followed by `mark`. Empty when
    /// the string does not fit and `mark` is wider than `width`. Characters stay whole.
    package func fitted(to width: Int, mark: String) -> String {
        if displayWidth <= width { return self }
        let room = width - mark.displayWidth
        return room < 0 ? "" : beginning(to: room) + mark
    }

    /// The string cut to `width` cells: unchanged when it fits, otherwise `mark` followed by the end of the string,
    /// because identifiers differ at their ends. Empty when the string does not fit and `mark` is wider than `width`.
    /// Characters stay whole.
    package func endFitted(to width: Int, mark: String) -> String {
        if displayWidth <= width { return self }
        let room = width - mark.displayWidth
        return room < 0 ? "" : mark + String(String(reversed()).beginning(to: room).reversed())
    }

    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - displayWidth)) }

    private func beginning(to width: Int) -> String {
        var rest = width
        return String(
            prefix { character in
                rest -= character.displayWidth
                return rest >= 0
            }
        )
    }

    private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7f).contains($0) } }
}

extension Character {
    /// The number of terminal cells of the character, by the tables of the C library, independent of the user's locale.
    fileprivate var displayWidth: Int {
        // An emoji takes two cells, even when it is composed of several scalars.
        if unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xfe0f }) { return 2 }
        return unicodeScalars.reduce(0) { sum, scalar in
            let cells = bgl_cells(scalar.value)
            // Most terminals draw one cell for a scalar that is unknown to the library.
            return sum + (cells < 0 ? 1 : Int(cells))
        }
    }
}
