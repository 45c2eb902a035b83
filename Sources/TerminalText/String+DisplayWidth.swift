// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux

extension String {
    /// The cells that a terminal takes for it, in a row: none for what combines, two for what is wide.
    package var displayWidth: Int {
        isPrintableASCII ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// As much as fits, with a mark where something is missing. Cuts no character in two.
    package func fitted(to width: Int, mark: String) -> String {
        if displayWidth <= width { return self }
        let room = width - mark.displayWidth
        return room < 0 ? "" : beginning(to: room) + mark
    }

    /// The same, but what is missing is the beginning: identifiers differ in their ends.
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
    /// As the C library's tables have it, whatever the person's own locale.
    fileprivate var displayWidth: Int {
        // A picture is drawn as one, whatever it is put together from.
        if unicodeScalars.contains(where: { $0.properties.isEmojiPresentation || $0.value == 0xfe0f }) { return 2 }
        return unicodeScalars.reduce(0) { sum, scalar in
            let cells = bgl_cells(scalar.value)
            // What the library does not know yet takes a cell on most terminals.
            return sum + (cells < 0 ? 1 : Int(cells))
        }
    }
}
