// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import TaskModel
import Testing

@Suite("task submit has an option for each field of a request")
struct TaskSubmitTests {
    /// The options for a socket without a host, at which a valid command fails to connect.
    private static let host = ["--socket", "/nowhere/control.sock"]

    private func submit(_ arguments: [String]) async -> (isMisuse: Bool, error: String) {
        let terminal = Terminal()
        let status = await terminal.run(list: ["task", "submit", "com.example.feed.refresh"] + arguments + Self.host)
        return (status == .misuse, terminal.error)
    }

    @Test(arguments: RequestField.allCases)
    func `task submit accepts the options of the request's kind, refuses other kinds' options and names them`(
        _ field: RequestField
    ) async {
        let values: [RequestField: [String]] = [
            .protection: ["complete"], .title: ["Export"], .subtitle: ["Export"], .strategy: ["fail"],
        ]
        for kind in TaskKind.submittable {
            let title = kind == .continued && field != .title ? ["--title", "Export"] : []
            let (isMisuse, error) = await submit(["--kind", kind.name, field.flag] + (values[field] ?? []) + title)
            let belongs = field.belongs(to: kind)
            #expect(isMisuse == !belongs, "\(error)")
            let message = "\(field.flag) does not apply to a \(kind.name) request"
            #expect(error.contains(message) == !belongs, "\(error)")
        }
    }

    @Test func `task submit refuses the option --not-before for a continued request, and names the option`() async {
        let (isMisuse, error) = await submit(["--kind", "continued", "--title", "Export", "--not-before", "+1h"])
        #expect(isMisuse && error.contains("--not-before does not apply to a continued request"))
    }

    @Test func `task submit accepts a begin time in the past, which starts with a dash`() async {
        #expect(await !submit(["--kind", "refresh", "--not-before", "-5min"]).isMisuse)
        let (isMisuse, error) = await submit(["--kind", "refresh", "--not-before", "-soon"])
        #expect(isMisuse && error.contains("\"-soon\" is not a time"), "\(error)")
    }

    @Test func `task submit refuses the kind event`() async {
        let isMisuse = await submit(["--kind", "event"]).isMisuse
        #expect(isMisuse)
    }
}
