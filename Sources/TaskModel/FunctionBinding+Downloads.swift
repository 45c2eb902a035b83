// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Arguments of bound functions whose files the host downloads.
extension FunctionBinding {
    /// The URLs that the host downloads for a call, by the position of their argument, from 1.
    package var downloads: [Int: String] {
        var downloads: [Int: String] = [:]
        for (index, argument) in arguments.enumerated() {
            if case .download(let url) = argument { downloads[index + 1] = url }
        }
        return downloads
    }

    /// The binding for one launch: it passes the paths of downloaded files in place of their URLs. An argument without
    /// a file keeps its URL, and NULL is passed.
    ///
    /// - Parameter paths: the absolute paths, by the position of their argument, from 1.
    package func passing(_ paths: [Int: String]) -> FunctionBinding {
        if paths.isEmpty { return self }
        let passed = arguments.enumerated().map { index, argument in
            argument.kind == .download ? paths[index + 1].map { .string($0) } ?? argument : argument
        }
        return FunctionBinding(identifier: identifier, symbol: symbol, arguments: passed, result: result)
    }
}

extension TransferSession {
    /// The session of the downloads for an argument of bound functions, by the position of the argument, from 1. Its
    /// end has no event: a library with bound functions receives none.
    package static func argument(_ position: Int) -> TransferSession? { TransferSession("argument-\(position)") }
}
