// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An SVG document under construction: one element per line, numbers with at most one decimal. It is independent of the
/// contents of the drawing.
struct SVGText {
    private(set) var lines: [String] = []

    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let size = abs(tenths)
        return size % 10 == 0 ? "\(sign)\(size / 10)" : "\(sign)\(size / 10).\(size % 10)"
    }

    mutating func add(_ line: String) { lines.append(line) }

    mutating func rectangle(_ box: SVGBox, _ style: String) {
        let (x, y) = (Self.number(box.x), Self.number(box.y))
        add(
            "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(Self.number(box.width))\" height=\"\(Self.number(box.height))\" \(style)/>"
        )
    }

    /// Adds boxes of one style as a single element, because a week has tens of thousands of boxes.
    mutating func boxes(_ boxes: [SVGBox], _ style: String) {
        if boxes.isEmpty { return }
        let path = boxes.map { box in
            let (width, height) = (Self.number(box.width), Self.number(box.height))
            return "M\(Self.number(box.x)) \(Self.number(box.y))h\(width)v\(height)h-\(width)z"
        }
        add("<path d=\"\(path.joined())\" \(style)/>")
    }

    mutating func text(_ text: String, x: Double, y: Double, _ style: String) {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        add("<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" \(style)>\(escaped)</text>")
    }
}

struct SVGBox: Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var end: Double { x + width }

    /// The boxes of one row, with touching boxes merged.
    ///
    /// - Parameter boxes: sorted by their start.
    static func merged(_ boxes: [SVGBox]) -> [SVGBox] {
        var merged: [SVGBox] = []
        for box in boxes {
            if let last = merged.last, box.x <= last.end + 0.05 {
                merged[merged.count - 1].width = max(last.end, box.end) - last.x
            } else {
                merged.append(box)
            }
        }
        return merged
    }
}
