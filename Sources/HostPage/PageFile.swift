// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A file of the page, compiled into the program. It is the same for every host and user, and has no data.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    private static let script = "text/javascript; charset=utf-8"

    /// The file at a path of the server; nil without one.
    static func at(_ path: String) -> PageFile? {
        switch path {
        case "/": PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
        case "/page.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.page_css)
        case "/icon.svg": PageFile(type: "image/svg+xml", bytes: PackageResources.icon_svg)
        default: scripts[path].map { PageFile(type: script, bytes: $0) }
        }
    }

    private static let scripts: [String: [UInt8]] = [
        "/actions.js": PackageResources.actions_js,
        "/api.js": PackageResources.api_js,
        "/commands.js": PackageResources.commands_js,
        "/conditions.js": PackageResources.conditions_js,
        "/dom.js": PackageResources.dom_js,
        "/forecasts.js": PackageResources.forecasts_js,
        "/launches.js": PackageResources.launches_js,
        "/live.js": PackageResources.live_js,
        "/main.js": PackageResources.main_js,
        "/parts.js": PackageResources.parts_js,
        "/places.js": PackageResources.places_js,
        "/screen-journal.js": PackageResources.screen_journal_js,
        "/screen-launch.js": PackageResources.screen_launch_js,
        "/screen-now.js": PackageResources.screen_now_js,
        "/screen-plugin.js": PackageResources.screen_plugin_js,
        "/screen-plugins.js": PackageResources.screen_plugins_js,
        "/screen-pushes.js": PackageResources.screen_pushes_js,
        "/screen-task.js": PackageResources.screen_task_js,
        "/screen-timeline.js": PackageResources.screen_timeline_js,
        "/screen-transfers.js": PackageResources.screen_transfers_js,
        "/screen-whatif.js": PackageResources.screen_whatif_js,
        "/session.js": PackageResources.session_js,
        "/timeline.js": PackageResources.timeline_js,
        "/times.js": PackageResources.times_js,
        "/waits.js": PackageResources.waits_js,
        "/whatif.js": PackageResources.whatif_js,
    ]
}
