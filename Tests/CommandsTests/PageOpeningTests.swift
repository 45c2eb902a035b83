// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@testable import Commands

@Suite("bgtask page opens the browser of the variable BROWSER")
struct PageOpeningTests {
    private static let file = "/run/user/1000/my page/open.html"

    @Test(
        arguments: [
            (nil, [["xdg-open", file]]), ("", [["xdg-open", file]]), (" : ", [["xdg-open", file]]),
            ("firefox", [["firefox", file]]),
            ("firefox --new-window:lynx", [["firefox", "--new-window", file], ["lynx", file]]),
            ("chromium --app=%s:w3m %s", [["chromium", "--app=\(file)"], ["w3m", file]]),
        ] as [(String?, [[String]])]
    )
    func `the variable is a list of commands, in which the file replaces %s or is the last word`(
        value: String?,
        commands: [[String]]
    ) {
        #expect(BrowserVariable.commands(value, for: Self.file) == commands)
    }

    /// Opens a file with a script in place of a browser, which writes its argument to the file `opened`. A shell reads
    /// the script: the kernel runs no file that another process may still have open for writing.
    private func open(_ variable: (_ script: String) -> String, _ text: String) async throws -> (Bool, String?) {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let script = directory.path + "/browser"
        try "cd \(directory.path)\n\(text)\n".write(toFile: script, atomically: false, encoding: .utf8)
        let environment = ["BROWSER": variable("/bin/sh \(script)"), "PATH": "/usr/bin:/bin"]
        let isOpen = await PageBrowser.open("open.html", environment)
        return (isOpen, try? String(contentsOfFile: directory.path + "/opened", encoding: .utf8))
    }

    @Test func `the first command that succeeds opens the file, after missing and failing ones`() async throws {
        let (isOpen, opened) = try await open({ "/nowhere/browser:false:\($0):\($0) again" }, "echo \"$@\" >> opened")
        #expect(isOpen && opened == "open.html\n")
    }

    @Test func `a list of commands that all fail opens nothing`() async throws {
        let (isOpen, opened) = try await open({ "\($0) one:\($0) two" }, "echo \"$@\" >> opened; exit 3")
        #expect(!isOpen && opened == "one open.html\ntwo open.html\n")
    }

    @Test func `a browser that a command leaves running does not keep bgtask page waiting`() async throws {
        // The browser waits for a writer of the pipe, which the test is not.
        let text = "mkfifo pipe; (read line < pipe) & echo \"$!\" > opened"
        let (isOpen, opened) = try await open({ $0 }, text)
        #expect(isOpen)
        let browser = try #require(pid_t((opened ?? "").trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(browser, SIGKILL) == 0)
    }
}
