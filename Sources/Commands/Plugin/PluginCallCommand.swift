// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import FunctionTrial
import HostConfiguration
import LinuxSystem
import TaskModel

/// `bgtask plugin call`: calls a function of a library once in its own runner, to try a signature before a manifest
/// binds it.
struct PluginCallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call a function of any library once, to try a handler's signature.",
        discussion: """
            A separate runner calls the function under a budget and in the sandbox of a launch, as it calls a handler of \
            a manifest. The function reaches its container, the programs and libraries of the system, and the grants of \
            --manifest and the options. No host takes part, and a crash by a wrong signature ends only that runner. The \
            guarantees that are not enforced are printed. An argument is a kind as in a manifest, followed \
            by a colon and its value:

              string:/var/log   int32:-5    uint32:5    int64:-5    uint64:5
              double:0.5        bool:true   null        setting:KEY
              container-path    remaining-ms (int64_t)
              bytes:00ff10      payload      (pointer and length)
              out-string:256                 (buffer and size)
              out-int64                      (pointer)
              cancel-flag                    (int32_t *, set to 1 at the time limit)

            Examples:
              bgtask plugin call ./liblogtrim.so logtrim_run \\
                string:/tmp/logs int64:1048576 cancel-flag --write /tmp/logs
              bgtask plugin call /usr/lib/x86_64-linux-gnu/libz.so.1 zlibVersion \\
                --returns pointer:success-when-non-null

            Exit codes: 0 the result means success, 1 it means failure or there is no result, 2 misuse.
            """
    )

    @Argument(help: "The library's file.")
    var file: String

    @Argument(help: "The function's name, as nm -D prints it.")
    var symbol: String

    @Argument(
        help: "The function's arguments in order, each as KIND or KIND:VALUE.",
        transform: SignatureArgument.argument
    )
    var arguments: [FunctionArgument] = []

    @Option(
        help: ArgumentHelp(
            "The type of the result, and the values that mean success: void, int32:RULE, int64:RULE with "
                + "success-when-zero, success-when-nonzero or success-when-nonnegative, or "
                + "pointer:success-when-non-null. Default: int32:success-when-zero.",
            valueName: "type[:rule]"
        ),
        transform: SignatureArgument.result
    )
    var returns: FunctionResult = .int32(.zero)

    @Option(
        help: ArgumentHelp("Time limit; 30s by default.", valueName: "time"),
        transform: SignatureArgument.time
    )
    var budget: Duration = .seconds(30)

    @Option(
        help: ArgumentHelp(
            "Grace period after the time limit, at which the cancel flag is set; 5s by default.",
            valueName: "time"
        ),
        transform: SignatureArgument.time
    )
    var gracePeriod: Duration = .seconds(5)

    @Option(help: PayloadFile.help("function"))
    var payload: String?

    @Option(
        help: ArgumentHelp("The value of the argument setting:KEY; may be repeated.", valueName: "key=value"),
        transform: SignatureArgument.setting
    )
    var setting: [(key: String, value: String)] = []

    @Option(
        help: ArgumentHelp(
            "The container of the function; by default a temporary directory, which is deleted after the call.",
            valueName: "directory"
        )
    )
    var container: String?

    @Option(
        help: ArgumentHelp(
            "The file with the value of the argument setting:KEY; may be repeated.",
            valueName: "key=file"
        ),
        transform: SignatureArgument.secret
    )
    var secret: [(key: String, value: String)] = []

    @OptionGroup var sandbox: SandboxOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let flaw = FunctionBinding.flaw(inSymbol: symbol) {
            throw ValidationError("\(symbol.inQuotes) is \(flaw.rule); \(flaw.remedy)")
        }
        if arguments.count > FunctionBinding.mostArguments {
            throw ValidationError(
                "\(arguments.count) arguments are given; at most \(FunctionBinding.mostArguments) are allowed;"
                    + " call a function that takes fewer"
            )
        }
        if let download = arguments.first(where: { $0.kind == .download }) {
            throw ValidationError(
                "the argument \(download.text) has no file, because no host takes part; pass the path of a file with"
                    + " string:PATH"
            )
        }
        let given = (setting + secret).map(\.key)
        for case .setting(let key) in arguments where sandbox.manifest == nil && !given.contains(key) {
            throw ValidationError(
                "setting:\(key) has no value; add --setting \(key)=VALUE, or --secret \(key)=FILE for a"
                    + " secret; or name a manifest with its value, with --manifest"
            )
        }
        if payload != nil, !arguments.contains(.payload) {
            throw ValidationError(
                "--payload has no effect: the signature takes no payload argument; add the argument payload,"
                    + " or leave the option out"
            )
        }
    }

    func run() async throws {
        let context = CommandContext.current
        let manifest = try sandbox.readManifest()
        let settings = try settings(besides: manifest)
        let container = try TrialContainer(at: container, environment: context.environment)
        defer {
            if let problem = container.delete() { context.writeMessage(problem) }
        }
        let trial = FunctionTrial(
            library: FilePlace.absolute(file),
            handler: FunctionBinding(
                identifier: FunctionTrial.identifier,
                symbol: symbol,
                arguments: arguments,
                result: returns
            ),
            budget: budget,
            gracePeriod: gracePeriod,
            payload: try payload.map(PayloadFile.bytes) ?? [],
            container: container.path,
            settings: settings,
            grants: sandbox.grants(besides: manifest),
            sandboxes: try policy()
        )
        let report = try await trial.run(
            runner: RunnerProgram.path(),
            environment: context.environment
        ) { remark in
            switch remark {
            case .notEnforced(let guarantee, let reason):
                context.writeMessage("not enforced: \(guarantee): \(reason)")
            case .denied(let call): context.writeMessage(Self.message(about: call))
            case .warning(let message): context.writeMessage(message.terminalSafe)
            case .violation(let rule, let message):
                context.writeMessage((rule.map { "\($0): " } ?? "") + message)
            case .output(let stream, let line): context.writeLine("\(stream): \(line.terminalSafe)")
            }
        }
        try OutputOptions(json: json).show(report)
        if !report.isSuccess { throw CommandFailure(.refused, "the function failed: \(report.returned)") }
    }
}
