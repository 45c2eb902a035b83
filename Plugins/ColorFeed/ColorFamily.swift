// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A common name for a range of colours.
enum ColorFamily: String, CaseIterable, Sendable {
    case all
    case red
    case orange
    case yellow
    case green
    case cyan
    case blue
    case purple
    case pink
    case grey

    func contains(_ color: Color) -> Bool { self == .all || self == Self(of: color) }

    private init(of color: Color) {
        guard let hue = color.hue else {
            self = .grey
            return
        }
        switch hue {
        case ..<15, 345...: self = .red
        case ..<45: self = .orange
        case ..<70: self = .yellow
        case ..<165: self = .green
        case ..<195: self = .cyan
        case ..<255: self = .blue
        case ..<290: self = .purple
        default: self = .pink
        }
    }
}
