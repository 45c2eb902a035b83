// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Opens the page in the browser of the user.
enum PageBrowser {
    /// Prints the file that leads to the page, opens it, and returns when the calling task is cancelled.
    static func show(_ file: String, port: Int, opens: Bool) async throws {
        let context = CommandContext.current
        context.writeMessage("the page is on 127.0.0.1:\(port) until Ctrl-C; it opens with file://\(file)")
        if opens, !(await open(file, context.environment)) {
            context.writeMessage("no browser could be opened; open file://\(file) in one, or set the variable BROWSER")
        }
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Returns false when no browser could be started.
    private static func open(_ file: String, _ environment: [String: String]) async -> Bool {
        let program = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        do {
            return try await ForegroundProcess.run([program, file], environment: environment) { _, _ in } == 0
        } catch {
            return false
        }
    }
}
