// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The variable `BROWSER`, which the tools of a desktop read as a list of commands with colons between them.
enum BrowserVariable {
    static let name = "BROWSER"

    /// The commands that open a file, in the order of attempts; `xdg-open` without a command in the variable.
    ///
    /// - Parameter value: the value of the variable; nil without one. The file replaces `%s` in a command, and follows
    ///   a command without it. Words are separated by spaces, also in quotes.
    static func commands(_ value: String?, for file: String) -> [[String]] {
        let commands = (value ?? "").split(separator: ":")
            .map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
            .filter { !$0.isEmpty }
        return (commands.isEmpty ? [["xdg-open"]] : commands).map { words in
            let hasPlace = words.contains { $0.contains("%s") }
            return hasPlace ? words.map { $0.replacing("%s", with: file) } : words + [file]
        }
    }
}
