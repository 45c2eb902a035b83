// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The kind of the task of a new plugin. The raw value is the value of the option `--kind`.
enum PluginTaskKind: String, CaseIterable, Hashable, Sendable {
    case refresh
    case processing

    /// The last part of the task's identifier, and the name of the handler.
    var work: String { self == .refresh ? "refresh" : "clean" }

    /// The background mode of the manifest.
    var mode: String { self == .refresh ? "fetch" : "processing" }

    /// The expression that makes a request. In Rust it is the beginning of the call that submits the request, without
    /// the last argument, the time. A processing request waits for an idle machine, and here for no other condition.
    func request(in language: PluginLanguage) -> String {
        switch (language, self) {
        case (.c, .refresh), (.go, .refresh): "bgt_refresh_request(@CONSTANT@)"
        case (.c, .processing), (.go, .processing): "bgt_processing_request(@CONSTANT@, 0 /* or BGT_NEEDS_... */)"
        case (.cxx, .refresh): "bgt_refresh_request(@WORK@Identifier)"
        case (.cxx, .processing): "bgt_processing_request(@WORK@Identifier, 0 /* or BGT_NEEDS_... */)"
        case (.swift, .refresh): "BGAppRefreshTaskRequest(identifier: identifier)"
        case (.swift, .processing): "BGProcessingTaskRequest(identifier: identifier)"
        case (.rust, .refresh): "submit_refresh(host, @CONSTANT@"
        case (.rust, .processing): "submit_request(host, KIND_PROCESSING, 0, @CONSTANT@"
        }
    }
}
