// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import Replay

@Suite("A timeline shows the plugins, launches and conditions of a replay")
struct TimelineTests {
    private let plugins = """
          com.example.app:
            tasks:
              com.example.app.index: { kind: processing, every: 2h, takes: { typical: 5min, most: 20min } }
              com.example.app.poll: { kind: refresh, every: 30min, needs: [network], takes: { typical: 5s } }
          com.example.careless:
            tasks: { com.example.careless.poll: { kind: refresh, every: 1h, takes: { typical: 1s }, overruns: 50 } }
        """
    private let trace = """
        name: a <day> & more
        spans: { network: ["08:00-20:00"], external-power: ["10:00-12:00"] }
        suspended: ["02:00-05:00"]
        use: { active: ["09:00-12:00"] }
        """

    @Test
    func `a timeline contains the names of plugins, conditions and trace, and a legend`() throws {
        let text = ReplayTimeline(try ReplayScenario.of(trace: trace, plugins: plugins).play()).text
        for word in [
            ">com.example.app<", ">com.example.careless<", ">external power<", ">network<", ">idle<", ">high load<",
            ">low memory<", ">hot<", ">suspended<", ">12:00<", ">expired<", ">its budget<",
            ">waits for the machine<", "a &lt;day&gt; &amp; more",
        ] { #expect(text.contains(word), "\(word)") }
    }

    @Test func `a timeline contains launches, overruns, budgets, waits and one mark for each expiration`() throws {
        let record = try ReplayScenario.of(trace: trace, plugins: plugins).play()
        let text = ReplayTimeline(record).text
        #expect(text.contains("fill=\"url(#machine)\""))
        #expect(text.contains("fill=\"\(LaunchStyle.overrun.color)\""))
        #expect(text.contains("fill=\"\(LaunchStyle.background.color)\""))
        #expect(text.contains("stroke=\"#5b93c4\""))
        let marks = text.split(separator: "\n").filter { $0.contains("l-2.2 -4.5h4.4z") }.joined()
        #expect(marks.split(separator: "l-2.2 -4.5h4.4z").count - 1 == record.expirations.count)
    }

    @Test func `a timeline is an SVG document whose svg, text, defs and pattern elements are closed`() throws {
        let text = ReplayTimeline(try ReplayScenario.of(trace: trace, plugins: plugins).play()).text
        for name in ["svg", "text", "defs", "pattern"] {
            let opened = count("<\(name) ", in: text) + count("<\(name)>", in: text)
            #expect(opened > 0 && opened == count("</\(name)>", in: text), "\(name)")
        }
        #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
    }

    private func count(_ part: String, in text: String) -> Int {
        text.split(separator: part, omittingEmptySubsequences: false).count - 1
    }

    @Test(arguments: [(0.04, "0"), (1.25, "1.3"), (-0.36, "-0.4"), (12, "12")])
    func `coordinates in a timeline have at most one decimal`(value: Double, text: String) {
        #expect(SVGText.number(value) == text)
    }
}
