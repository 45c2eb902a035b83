// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension FrameWriter {
    mutating func put(_ plan: RunnerPlan) {
        put(plan.launch)
        put(text: plan.plugin.text)
        put(plan.role)
        put(plan.lane)
        put(plan.cause)
        put(text: plan.libraryPath)
        put(plan.libraryIdentity.device)
        put(plan.libraryIdentity.inode)
        put(plan.libraryIdentity.size)
        put(plan.libraryIdentity.modified)
        put(plan.libraryIdentity.changed)
        put(plan.isExamined)
        put(list: plan.permitted) { $0.put(text: $1.description) }
        put(list: plan.modes.map(\.rawValue).sorted()) { $0.put(text: $1) }
        put(list: plan.settings.sorted { $0.key < $1.key }) { frame, setting in
            frame.put(text: setting.key)
            frame.put(text: setting.value)
        }
        put(list: plan.handlers) { $0.put($1) }
        put(plan.supportedResources.rawValue)
        put(text: plan.hostVersion)
        put(plan.imitation.rawValue)
        put(plan.deadline != nil)
        if let deadline = plan.deadline { put(deadline.nanoseconds) }
        put(plan.entryDeadline.nanoseconds)
        put(plan.gracePeriod.wholeNanoseconds)
        put(list: plan.tasks) { $0.put($1) }
    }

    mutating func put(_ task: RunnerPlan.Task) {
        put(task.id)
        put(task.kind)
        put(task.event?.rawValue ?? 0)
        put(text: task.identifier)
        put(task.submission)
        put(Int64(task.attempts))
        put(task.requiresNetwork)
        put(task.requiresExternalPower)
        put(task.protection)
        put(task.continued)
        put(bytes: task.payload)
        put(task.cursor)
        put(task.claim)
    }

    private mutating func put(_ cursor: TaskCursor?) {
        put(cursor != nil)
        guard let cursor else { return }
        put(bytes: cursor.bytes)
        put(text: cursor.version)
        put(cursor.movedAt.nanoseconds)
        put(cursor.submission)
    }

    private mutating func put(_ claim: Claim?) {
        put(claim != nil)
        guard let claim else { return }
        put(claim.item)
        put(claim.fence)
        put(claim.isBound)
    }

    mutating func put(_ request: TaskRequest) {
        put(text: request.identifier.text)
        put(request.kind)
        put(request.earliestBegin != nil)
        if let earliestBegin = request.earliestBegin { put(earliestBegin.nanoseconds) }
        put(request.expiresAt != nil)
        if let expiresAt = request.expiresAt { put(expiresAt.nanoseconds) }
        put(request.requiresNetwork)
        put(request.requiresExternalPower)
        put(request.protection)
        put(request.continued)
    }

    mutating func put(_ terms: ContinuedTerms?) {
        put(terms != nil)
        guard let terms else { return }
        put(text: terms.title)
        put(terms.subtitle)
        put(terms.strategy)
        put(terms.resources.rawValue)
    }

    mutating func put(_ text: String?) {
        put(text != nil)
        if let text { put(text: text) }
    }
}

extension FrameReader {
    mutating func plan() throws(WireError) -> RunnerPlan {
        RunnerPlan(
            launch: try value("plan.launch"),
            plugin: try name("plan.plugin", PluginIdentifier.init),
            role: try value("plan.role"),
            lane: try value("plan.lane"),
            cause: try value("plan.cause"),
            libraryPath: try text("plan.libraryPath"),
            libraryIdentity: FileIdentity(
                device: try integer("plan.device"),
                inode: try integer("plan.inode"),
                size: try integer("plan.size"),
                modified: try integer("plan.modified"),
                changed: try integer("plan.changed")
            ),
            isExamined: try flag("plan.isExamined"),
            permitted: try list("plan.permitted", minimumSize: 4) { fields throws(WireError) in
                try fields.name("plan.permitted", PermittedIdentifier.init)
            },
            modes: try modes(),
            settings: try settings(),
            handlers: try list("plan.handlers", minimumSize: 13) { fields throws(WireError) in try fields.handler() },
            supportedResources: TaskResources(rawValue: try integer("plan.supportedResources")),
            hostVersion: try text("plan.hostVersion"),
            imitation: try imitation(),
            deadline: try flag("plan.hasDeadline") ? MonotonicTime(nanoseconds: try integer("plan.deadline")) : nil,
            entryDeadline: MonotonicTime(nanoseconds: try integer("plan.entryDeadline")),
            gracePeriod: .nanoseconds(try integer("plan.grace") as Int64),
            tasks: try list("plan.tasks", minimumSize: 49) { fields throws(WireError) in try fields.plannedTask() }
        )
    }

    mutating func request() throws(WireError) -> TaskRequest {
        TaskRequest(
            identifier: try name("request.identifier", TaskIdentifier.init),
            kind: try value("request.kind"),
            earliestBegin: try flag("request.hasEarliestBegin")
                ? WallTime(nanoseconds: try integer("request.earliestBegin")) : nil,
            expiresAt: try flag("request.hasExpiresAt")
                ? WallTime(nanoseconds: try integer("request.expiresAt")) : nil,
            requiresNetwork: try flag("request.requiresNetwork"),
            requiresExternalPower: try flag("request.requiresExternalPower"),
            protection: try value("request.protection"),
            continued: try continuedTerms()
        )
    }

    private mutating func continuedTerms() throws(WireError) -> ContinuedTerms? {
        guard try flag("continued.isThere") else { return nil }
        return ContinuedTerms(
            title: try text("continued.title"),
            subtitle: try optionalText("continued.subtitle"),
            strategy: try value("continued.strategy"),
            resources: TaskResources(rawValue: try integer("continued.resources"))
        )
    }

    mutating func optionalText(_ field: StaticString) throws(WireError) -> String? {
        try flag(field) ? try text(field) : nil
    }

    mutating func tasks(_ field: StaticString) throws(WireError) -> [TaskID] {
        try list(field, minimumSize: 8) { fields throws(WireError) in try fields.value(field) }
    }

    private mutating func imitation() throws(WireError) -> ImitatedHost {
        let imitation = ImitatedHost(rawValue: try integer("plan.imitation"))
        guard imitation.isSubset(of: .all) else {
            throw WireError(code: .unknownValue, message: "plan.imitation: \(imitation.rawValue) has unknown bits")
        }
        return imitation
    }

    private mutating func modes() throws(WireError) -> Set<BackgroundMode> {
        let modes = try list("plan.modes", minimumSize: 4) { fields throws(WireError) in
            try fields.name("plan.modes", BackgroundMode.init(rawValue:))
        }
        return Set(modes)
    }

    private mutating func settings() throws(WireError) -> [String: String] {
        let count = Int(try integer("plan.settings") as UInt32)
        var settings: [String: String] = [:]
        for _ in 0..<count {
            let key = try text("plan.setting.key")
            guard settings.updateValue(try text("plan.setting.value"), forKey: key) == nil else {
                throw WireError(code: .unknownValue, message: "plan.settings: \"\(key.prefix(300))\" appears twice")
            }
        }
        return settings
    }

    mutating func plannedTask() throws(WireError) -> RunnerPlan.Task {
        let id: TaskID = try value("task.id")
        let kind: TaskKind = try value("task.kind")
        let event: UInt32 = try integer("task.event")
        guard event == 0 || EventType(rawValue: event) != nil else {
            throw WireError(
                code: .unknownValue,
                message: "task.event: \(event) is unknown to this runner"
            )
        }
        return RunnerPlan.Task(
            id: id,
            kind: kind,
            event: EventType(rawValue: event),
            identifier: try text("task.identifier"),
            submission: try value("task.submission"),
            attempts: Int(truncatingIfNeeded: try integer("task.attempts") as Int64),
            requiresNetwork: try flag("task.requiresNetwork"),
            requiresExternalPower: try flag("task.requiresExternalPower"),
            protection: try value("task.protection"),
            continued: try continuedTerms(),
            payload: try bytes("task.payload"),
            cursor: try cursor(),
            claim: try claim()
        )
    }

    private mutating func cursor() throws(WireError) -> TaskCursor? {
        guard try flag("cursor.isThere") else { return nil }
        return TaskCursor(
            bytes: try bytes("cursor.bytes"),
            version: try text("cursor.version"),
            movedAt: WallTime(nanoseconds: try integer("cursor.movedAt")),
            submission: try value("cursor.submission")
        )
    }

    private mutating func claim() throws(WireError) -> Claim? {
        guard try flag("claim.isThere") else { return nil }
        return Claim(
            item: try integer("claim.item"),
            fence: try integer("claim.fence"),
            isBound: try flag("claim.isBound")
        )
    }
}
