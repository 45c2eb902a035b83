// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A progress bar: a share that is drawn as a row of cells.
struct Bar: Hashable {
    /// The filled share of the bar, from 0 to 1.
    let share: Double

    /// Creates a bar for `part` of `whole`. The share is limited to 0...1; it is 0 when `whole` is not positive.
    init(_ part: Double, of whole: Double) { share = whole > 0 ? min(1, max(0, part / whole)) : 0 }

    var percent: Int { Int(share * 100) }

    /// The filled and the empty cells, as text. The number of filled cells is rounded down, so that only a share of 1
    /// fills the bar.
    func cells(_ count: Int, style: PictureStyle) -> (full: String, rest: String) {
        let full = Int(share * Double(count))
        let (mark, blank) = style.drawsBlocks ? ("█", "░") : ("#", "-")
        return (String(repeating: mark, count: full), String(repeating: blank, count: max(0, count - full)))
    }
}

extension PictureLine {
    mutating func add(_ bar: Bar, cells: Int, _ tone: Tone, style: PictureStyle) {
        let (full, rest) = bar.cells(cells, style: style)
        add(full, tone)
        add(rest, .faint)
    }
}
