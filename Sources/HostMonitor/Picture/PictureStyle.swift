// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The capabilities of an output: cursor control, colours and block characters.
struct PictureStyle: Hashable, Sendable {
    /// Whether the output is a terminal with cursor control.
    let isSteerable: Bool
    let isColoured: Bool
    /// Whether the output shows block characters; otherwise only ASCII is drawn.
    let drawsBlocks: Bool

    static let plain = PictureStyle(isSteerable: false, isColoured: false, drawsBlocks: true)

    var mark: String { drawsBlocks ? "…" : "~" }
}

extension PictureStyle {
    init(environment: [String: String], isTerminal: Bool) {
        let terminal = environment["TERM"] ?? ""
        isSteerable = isTerminal && !terminal.isEmpty && terminal != "dumb"
        isColoured = isSteerable && (environment["NO_COLOR"] ?? "").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let encoding = locale?.split(separator: ".").dropFirst().first?.lowercased().replacing("-", with: "")
        drawsBlocks = encoding?.hasPrefix("utf8") ?? false
    }
}
