// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The drawing of a replay: conditions on top, then a row for each plugin with launches, budgets, expirations and
/// waits.
package struct ReplayTimeline {
    private let record: ReplayRecord
    private let report: ReplayReport
    private var svg = SVGText()

    private let gutter = 210.0
    private let chart = 1_440.0
    private let margin = 110.0
    private let bandHeight = 12.0
    private let rowHeight: Double
    private let top = 64.0

    package init(_ record: ReplayRecord) {
        self.record = record
        report = record.report
        rowHeight = record.plugins.count > 40 ? 14 : 22
    }

    /// The complete SVG document.
    package var text: String {
        var drawing = self
        drawing.draw()
        return drawing.svg.lines.joined(separator: "\n") + "\n"
    }

    private mutating func draw() {
        let bands = bands
        let rowsTop = top + Double(bands.count) * (bandHeight + 2) + 26
        let bottom = rowsTop + Double(record.plugins.count) * rowHeight
        let (width, height) = (gutter + chart + margin, bottom + 64)
        begin(width: width, height: height)
        for (index, band) in bands.enumerated() { draw(band, y: top + Double(index) * (bandHeight + 2)) }
        drawGrid(from: rowsTop, to: bottom)
        for (index, plugin) in record.plugins.enumerated() {
            drawRow(of: plugin, y: rowsTop + Double(index) * rowHeight, isOdd: index % 2 == 1)
        }
        let asleep = record.suspended.spans.map { box($0, y: rowsTop, height: bottom - rowsTop, least: 1) }
        svg.boxes(asleep, "fill=\"#20303c\" fill-opacity=\"0.10\"")
        drawLegend(y: bottom + 20)
        svg.add("</svg>")
    }

    private mutating func begin(width: Double, height: Double) {
        let (w, h) = (SVGText.number(width), SVGText.number(height))
        svg.add(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(w)\" height=\"\(h)\" viewBox=\"0 0 \(w) \(h)\""
                + " font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"10\">"
        )
        svg.add("<defs>")
        for group in WaitGroup.allCases {
            svg.add(
                "<pattern id=\"\(group.name)\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\""
                    + " patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"\(group.color)\""
                    + " fill-opacity=\"0.10\"/><rect width=\"1.4\" height=\"5\" fill=\"\(group.color)\""
                    + " fill-opacity=\"0.55\"/></pattern>"
            )
        }
        svg.add("</defs>")
        svg.rectangle(SVGBox(x: 0, y: 0, width: width, height: height), "fill=\"#ffffff\"")
        let count = record.plugins.count
        svg.text(
            "A \(record.length.rawValue) of \(count) \(count == 1 ? "plugin" : "plugins"): \(record.traceName)",
            x: 14,
            y: 24,
            "font-size=\"16\" font-weight=\"bold\" fill=\"#1c2830\""
        )
        let launches = report.plugins.reduce(0) { $0 + $1.launches }
        let overruns = report.plugins.reduce(0) { $0 + $1.overruns }
        let expired = report.plugins.reduce(0) { $0 + $1.expirations.reduce(0) { $0 + $1.count } }
        svg.text(
            "seed \(record.seed); \(launches) launches, of which \(overruns) overran; \(expired) tasks expired",
            x: 14,
            y: 42,
            "font-size=\"11\" fill=\"#5a6a74\""
        )
    }

    // MARK: Conditions

    private struct Band {
        let name: String
        let spans: ConditionSpans
        let color: String
    }

    private var bands: [Band] {
        let bands = Condition.all.compactMap { condition -> Band? in
            guard condition.row.replay != .untraced, let spans = record.conditions[condition] else { return nil }
            return Band(name: condition.title, spans: spans, color: condition.row.color)
        }
        return bands + [Band(name: "suspended", spans: record.suspended, color: "#4a5a66")]
    }

    private mutating func draw(_ band: Band, y: Double) {
        svg.text(band.name, x: gutter - 8, y: y + 9.5, "text-anchor=\"end\" fill=\"#3c4a54\"")
        svg.rectangle(SVGBox(x: gutter, y: y, width: chart, height: bandHeight), "fill=\"#eef1f3\"")
        let boxes = band.spans.spans.map { box($0, y: y, height: bandHeight, least: 0.5) }
        svg.boxes(boxes, "fill=\"\(band.color)\" fill-opacity=\"0.85\"")
    }

    // MARK: Time

    private mutating func drawGrid(from rowsTop: Double, to bottom: Double) {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let hours = record.length == .day ? 1 : 6
        let total = Int((record.period.upperBound - record.period.lowerBound).wholeNanoseconds / 3_600_000_000_000)
        for hour in stride(from: 0, through: total, by: hours) {
            let x = gutter + chart * Double(hour) / Double(total)
            let isMidnight = hour % 24 == 0
            let width = isMidnight ? "1" : "0.5"
            svg.add(
                "<path d=\"M\(SVGText.number(x)) \(SVGText.number(top))V\(SVGText.number(bottom))\""
                    + " stroke=\"\(isMidnight ? "#93a2ac" : "#d5dce1")\" stroke-width=\"\(width)\" fill=\"none\"/>"
            )
            if hour == total || record.length == .day && hour % 2 == 1 { continue }
            let clock = hour % 24
            let time = (clock < 10 ? "0" : "") + "\(clock):00"
            let label = isMidnight && record.length == .week ? days[hour / 24 % 7] : time
            let weight = isMidnight && record.length == .week ? " font-weight=\"bold\"" : ""
            svg.text(label, x: x + 3, y: rowsTop - 6, "fill=\"#5a6a74\"\(weight)")
        }
        svg.text("launches", x: gutter + chart + 52, y: rowsTop - 6, "text-anchor=\"end\" fill=\"#5a6a74\"")
        svg.text("p95 wait", x: gutter + chart + 104, y: rowsTop - 6, "text-anchor=\"end\" fill=\"#5a6a74\"")
    }

    private func x(_ time: WallTime) -> Double {
        let all = Double((record.period.upperBound - record.period.lowerBound).wholeNanoseconds)
        return gutter + chart * Double((time - record.period.lowerBound).wholeNanoseconds) / all
    }

    private func box(_ span: Range<WallTime>, y: Double, height: Double, least: Double) -> SVGBox {
        let start = x(span.lowerBound)
        let end = min(x(span.upperBound), gutter + chart)
        return SVGBox(x: start, y: y, width: max(least, end - start), height: height)
    }

    // MARK: Plugins

    private mutating func drawRow(of plugin: PluginIdentifier, y: Double, isOdd: Bool) {
        if isOdd {
            svg.rectangle(
                SVGBox(x: 0, y: y, width: gutter + chart + margin, height: rowHeight),
                "fill=\"#5a6a74\" fill-opacity=\"0.06\""
            )
        }
        let middle = y + rowHeight / 2 + 3.5
        svg.text(Self.brief(plugin), x: gutter - 8, y: middle, "text-anchor=\"end\" fill=\"#1c2830\"")
        if let row = report.plugins.first(where: { $0.plugin == plugin.text }) {
            let style = "text-anchor=\"end\" fill=\"#3c4a54\""
            svg.text("\(row.launches)", x: gutter + chart + 52, y: middle, style)
            svg.text(Duration.nanoseconds(row.p95Wait).brief, x: gutter + chart + 104, y: middle, style)
        }
        drawWaits(of: plugin, y: y)
        drawLaunches(of: plugin, y: y)
        drawExpirations(of: plugin, y: y)
    }

    private mutating func drawWaits(of plugin: PluginIdentifier, y: Double) {
        let waits = record.waits.filter { $0.plugin == plugin }
        for group in WaitGroup.allCases {
            let boxes = waits.filter { WaitGroup(reasons: $0.reasons) == group }
                .map { box($0.span, y: y + 1, height: rowHeight - 2, least: 0) }
                .filter { $0.width >= 0.4 }.sorted { ($0.x, $0.width) < ($1.x, $1.width) }
            svg.boxes(SVGBox.merged(boxes), "fill=\"url(#\(group.name))\"")
        }
    }

    private mutating func drawLaunches(of plugin: PluginIdentifier, y: Double) {
        let launches = record.launches.filter { $0.plugin == plugin }
        let inner = rowHeight - 6
        let budgets = launches.compactMap { launch -> SVGBox? in
            guard let budget = launch.budget, launch.lane != .event else { return nil }
            let whole = box(launch.start..<(launch.start + budget), y: y + 3, height: inner, least: 0)
            return whole.width >= 1.5 ? whole : nil
        }
        svg.boxes(budgets, "fill=\"#9cc3e6\" fill-opacity=\"0.35\" stroke=\"#5b93c4\" stroke-width=\"0.4\"")
        for style in LaunchStyle.allCases {
            let boxes = launches.filter { LaunchStyle($0) == style }.map { launch in
                box(
                    launch.start..<max(launch.start, launch.end ?? record.period.upperBound),
                    y: style == .event ? y + rowHeight - 4 : y + 3,
                    height: style == .event ? 3 : inner,
                    least: style.leastWidth
                )
            }
            svg.boxes(SVGBox.merged(boxes.sorted { ($0.x, $0.width) < ($1.x, $1.width) }), "fill=\"\(style.color)\"")
        }
    }

    private mutating func drawExpirations(of plugin: PluginIdentifier, y: Double) {
        let marks = record.expirations.filter { $0.plugin == plugin }.map { expiration in
            let x = SVGText.number(x(expiration.at))
            return "M\(x) \(SVGText.number(y + 5))l-2.2 -4.5h4.4z"
        }
        if marks.isEmpty { return }
        svg.add("<path d=\"\(marks.joined())\" fill=\"#d3302f\"/>")
    }

    /// The identifier of the plugin. Of a long identifier only the end is shown, because the ends distinguish the
    /// plugins of one vendor.
    private static func brief(_ plugin: PluginIdentifier) -> String {
        let limit = 32
        return plugin.text.count <= limit ? plugin.text : "…" + plugin.text.suffix(limit - 1)
    }

    // MARK: Legend

    private mutating func drawLegend(y: Double) {
        var x = gutter
        func width(_ words: String) -> Double { Double(words.count) * 6 + 40 }
        for style in LaunchStyle.allCases {
            svg.rectangle(SVGBox(x: x, y: y, width: 14, height: 10), "fill=\"\(style.color)\"")
            svg.text(style.words, x: x + 19, y: y + 9, "fill=\"#3c4a54\"")
            x += width(style.words)
        }
        svg.rectangle(
            SVGBox(x: x, y: y, width: 14, height: 10),
            "fill=\"#9cc3e6\" fill-opacity=\"0.35\" stroke=\"#5b93c4\" stroke-width=\"0.4\""
        )
        svg.text("its budget", x: x + 19, y: y + 9, "fill=\"#3c4a54\"")
        x += width("its budget")
        svg.add("<path d=\"M\(SVGText.number(x + 7)) \(SVGText.number(y + 8))l-3.5 -7h7z\" fill=\"#d3302f\"/>")
        svg.text("expired", x: x + 19, y: y + 9, "fill=\"#3c4a54\"")
        x = gutter
        for group in WaitGroup.allCases {
            svg.rectangle(SVGBox(x: x, y: y + 18, width: 14, height: 10), "fill=\"url(#\(group.name))\"")
            svg.text(group.words, x: x + 19, y: y + 27, "fill=\"#3c4a54\"")
            x += width(group.words)
        }
        svg.rectangle(SVGBox(x: x, y: y + 18, width: 14, height: 10), "fill=\"#20303c\" fill-opacity=\"0.10\"")
        svg.text("machine suspended", x: x + 19, y: y + 27, "fill=\"#3c4a54\"")
    }
}

extension Duration {
    /// The duration in its largest unit, rounded down, for a narrow column: `2h`, `22.4s`.
    fileprivate var brief: String {
        humanReadable.split(separator: " ").first.map(String.init) ?? humanReadable
    }
}
