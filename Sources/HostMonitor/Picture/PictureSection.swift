// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A heading and what stands below it, in blocks of lines that belong together.
struct PictureSection {
    let heading: String
    /// Number of blocks that there are, where `blocks` may hold only the first of them; nil for those alone.
    var count: Int?
    var blocks: [[PictureLine]]
    /// Gets only what the others leave.
    var isExtra = false

    var height: Int { 1 + blocks.reduce(0) { $0 + $1.count } }

    /// The heading, then as much as fits. The heading says how many blocks that is.
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

    /// What each section gets of so many rows: a fair share, and of what others do not need as much as it needs.
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
        // A heading alone, where there is something below it, is worth nothing among what comes extra.
        for index in sections.indices where sections[index].isExtra && shares[index] == 1 { shares[index] = 0 }
        return shares
    }
}
