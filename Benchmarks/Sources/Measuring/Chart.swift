// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A bar chart of all figures with a limit, as SVG: each bar is the share of the limit that the figure reaches, from
/// 0 to 100 %. Longer is better, for times and for rates. The colours follow the light or dark mode of the reader.
struct Chart {
    private static let (width, left, right, row, bar) = (960, 430, 180, 22, 12)

    private let runs: [(title: String, figures: [Figure])]

    init(_ runs: [Run]) {
        self.runs = runs.map { ($0.title, $0.figures.filter { $0.shareOfLimit != nil }) }.filter { !$0.figures.isEmpty }
    }

    var svg: String {
        var (body, top) = ("", 44)
        for run in runs {
            body += text(run.title, x: 12, y: top + 14, kind: "title")
            top += Self.row + 4
            for figure in run.figures {
                body += bar(figure, top: top)
                top += Self.row
            }
            top += 10
        }
        let end = Self.width - Self.right
        let axis = [(0, "0"), (50, "50 %"), (100, "limit of the machine")].map { percent, label in
            let x = Self.left + (end - Self.left) * percent / 100
            let kind = percent == 100 ? "limit" : "axis"
            return "<line x1=\"\(x)\" x2=\"\(x)\" y1=\"34\" y2=\"\(top)\" class=\"\(kind)\"/>\n"
                + text(label, x: x, y: 26, kind: "label middle")
        }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(top + 8)" role="img">
            <title>Share of the limit of the machine that each figure reaches</title>
            <style>
            text { font: 12px sans-serif; fill: #1f2328 } .title { font-weight: bold } .label { fill: #59636e }
            .middle { text-anchor: middle } .end { text-anchor: end }
            .axis { stroke: #d1d9e0 } .limit { stroke: #b35900 } .bar { fill: #2563c9 }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc } .label { fill: #9198a1 }
            .axis { stroke: #3d444d } .limit { stroke: #e3a35c } .bar { fill: #6ea8fe }
            }
            </style>
            \(axis)\(body)</svg>

            """
    }

    private func bar(_ figure: Figure, top: Int) -> String {
        let room = Double(Self.width - Self.right - Self.left)
        let length = String(format: "%.1f", max(1, room * min(1, figure.shareOfLimit ?? 0)))
        let bound = figure.limit.map { "; limit " + figure.unit.text($0.median) } ?? ""
        let values = "\(figure.unit.text(figure.median)) \(figure.unit.rawValue)\(bound)"
        let middle = top + Self.bar
        return text(figure.name, x: Self.left - 8, y: middle, kind: "end")
            + "<rect x=\"\(Self.left)\" y=\"\(top + 2)\" width=\"\(length)\" height=\"\(Self.bar)\" class=\"bar\"/>\n"
            + text(values, x: Self.width - Self.right + 8, y: middle, kind: "label")
    }

    private func text(_ text: String, x: Int, y: Int, kind: String) -> String {
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return "<text x=\"\(x)\" y=\"\(y)\" class=\"\(kind)\">\(escaped)</text>\n"
    }
}
