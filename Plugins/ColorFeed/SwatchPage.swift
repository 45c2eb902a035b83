// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A web page of colours. It has a temporary name until it is complete.
final class SwatchPage {
    let file: URL
    private let partial: URL
    private let handle: FileHandle

    init(of family: ColorFamily, in directory: URL) throws {
        file = directory.appending(path: "\(family.rawValue).html")
        partial = directory.appending(path: ".\(family.rawValue).html.partial")
        // Also replaces a partial file of a process that was killed.
        try Data().write(to: partial)
        handle = try FileHandle(forWritingTo: partial)
        try write(
            """
            <!DOCTYPE html>
            <html lang="en"><meta charset="utf-8"><title>Color Feed: \(family.rawValue)</title>
            <style>
            body { margin: 2em; font: 14px/1.4 sans-serif; display: grid; gap: 1em;
                   grid-template-columns: repeat(auto-fill, minmax(14em, 1fr)) }
            a { padding: 3em 1em 1em; border-radius: .5em; text-decoration: none; overflow-wrap: anywhere }
            b { display: block; font: bold 18px monospace }
            </style>

            """
        )
    }

    func add(_ entry: FeedEntry) throws {
        let color = entry.color
        try write(
            """
            <a href="\(address(entry.link))" style="background: \(color.rawValue); color: \(color.ink)">
            <b>\(color.rawValue)</b> \(escaped(entry.title))<br>\(entry.published.formatted(.iso8601.year().month().day()))</a>

            """
        )
    }

    func finish() throws {
        try write("</html>\n")
        try handle.synchronize()
        try handle.close()
        guard rename(partial.path, file.path) == 0 else {
            throw Failure("\(file.path) could not be put in place: \(String(cString: strerror(errno)))")
        }
    }

    func discard() {
        try? handle.close()
        try? FileManager.default.removeItem(at: partial)
    }

    private func write(_ text: String) throws { try handle.write(contentsOf: Data(text.utf8)) }

    /// The escaped link, or "#" for a link that is not a file or web address: a feed is untrusted, and a script as a
    /// link would run in the page.
    private func address(_ link: String) -> String {
        let isPlace = ["file", "http", "https"].contains(URL(string: link)?.scheme?.lowercased())
        return isPlace ? escaped(link) : "#"
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
