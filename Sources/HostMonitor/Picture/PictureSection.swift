// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A section of a picture: a heading, and below it blocks of lines, one block per item.
struct PictureSection {
    let heading: String
    /// Total number of blocks, when `blocks` may hold only the first of them; nil when `blocks` is complete.
    var count: Int?
    var blocks: [[PictureLine]]
    /// Whether the section gets only the rows that other sections leave.
    var isExtra = false

    var height: Int { 1 + blocks.reduce(0) { $0 + $1.count } }

    /// The heading and the blocks that fit into `rows`, the last one cut if necessary. The heading states the number of
    /// shown blocks when it is below the total number.
    func lines(rows: Int) -> [PictureLine] {
        if rows <= 0 { return [] }
        var lines: [PictureLine] = []
        var shown = 0
        for block in blocks {
            let room = rows - 1 - lines.count
            if room > 0 { shown += 1 }
            lines += block.prefix(room)
        }
        var top = PictureLine(heading, .strong)
        if shown < max(blocks.count, count ?? 0) { top.add(", \(shown) shown", .warning) }
        return [top] + lines
    }

    /// The number of rows for each section: equal shares, limited by the section's height. Extra sections (`isExtra`)
    /// share the remaining rows; an extra section that would get a single row, for its heading, gets none.
    static func shares(of rows: Int, among sections: [PictureSection]) -> [Int] {
        var shares = sections.map { _ in 0 }
        var rest = rows
        for isExtra in [false, true] {
            var hungry = sections.indices.filter { sections[$0].isExtra == isExtra }
            while rest > 0, !hungry.isEmpty {
                for index in hungry where rest > 0 {
                    shares[index] += 1
                    rest -= 1
                }
                hungry.removeAll { shares[$0] >= sections[$0].height }
            }
        }
        // An extra section that has room only for its heading is left out.
        for index in sections.indices where sections[index].isExtra && shares[index] == 1 { shares[index] = 0 }
        return shares
    }
}
