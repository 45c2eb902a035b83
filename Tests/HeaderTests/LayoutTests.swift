// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import StatementTraits
import Testing

@Suite("The header's structs keep their shipped layouts", .proves("BGT-ABI-04"))
struct LayoutTests {
    /// A field of a struct as Swift imports it, with the offset that shipped.
    struct Field {
        let name: String
        let offset: Int?
        let size: Int
        let shipped: Int
    }

    struct Layout {
        let type: String
        let size: Int
        let shipped: Int
        let fields: [Field]
    }

    @Test(arguments: layouts)
    func `each struct of the header has its shipped size and offsets, without holes`(layout: Layout) {
        #expect(
            layout.size == layout.shipped,
            "\(layout.type): add members only at the end, raise BGTASK_ABI_MINOR, and add them to this table"
        )
        var end = 0
        for field in layout.fields {
            #expect(
                field.offset == field.shipped,
                "\(layout.type).\(field.name): built plugins read it at this offset, so undo the change"
            )
            #expect(field.shipped == end, "hole before \(layout.type).\(field.name)")
            end = field.shipped + field.size
        }
        #expect(end == layout.shipped, "\(layout.type) has fields that this table does not know")
        #expect(layout.fields.first?.name == "size")
    }

    @Test func `the test's table of layouts lists exactly the fields whose offsets the header asserts`() throws {
        let asserted = try Header.text().matches(of: /BGTASK_AT_\((bgt_\w+), (\w+), (\d+)\);/)
            .map { "\($0.1).\($0.2) \($0.3)" }
        let golden = Self.layouts.flatMap { layout in
            layout.fields.map { "\(layout.type).\($0.name) \($0.shipped)" }
        }
        #expect(Set(asserted) == Set(golden))
        #expect(asserted.count == golden.count)
    }

    static let layouts = [
        request, refusal, pending, launchInfo, taskInfo, plugin, host, legacyFetch, cursorInfo, cursors,
        pushes, transfer, transferInfo, transfers, notifications,
    ]

    static let request = layout(
        "bgt_request",
        bgt_request.self,
        80,
        .field("size", \.size, 0),
        .field("kind", \.kind, 4),
        .field("flags", \.flags, 8),
        .field("strategy", \.strategy, 12),
        .field("identifier", \.identifier, 16),
        .field("earliest_begin_ns", \.earliest_begin_ns, 24),
        .field("payload", \.payload, 32),
        .field("payload_length", \.payload_length, 40),
        .field("title", \.title, 48),
        .field("subtitle", \.subtitle, 56),
        .field("resources", \.resources, 64),
        .field("expires_at_ns", \.expires_at_ns, 72)
    )

    static let refusal = layout(
        "bgt_refusal",
        bgt_refusal.self,
        256,
        .field("size", \.size, 0),
        .field("sub_reason", \.sub_reason, 4),
        .field("submission", \.submission, 8),
        .field("text", \.text, 16)
    )

    static let pending = layout(
        "bgt_pending",
        bgt_pending.self,
        88,
        .field("size", \.size, 0),
        .field("kind", \.kind, 4),
        .field("flags", \.flags, 8),
        .field("strategy", \.strategy, 12),
        .field("identifier", \.identifier, 16),
        .field("earliest_begin_ns", \.earliest_begin_ns, 24),
        .field("payload", \.payload, 32),
        .field("payload_length", \.payload_length, 40),
        .field("title", \.title, 48),
        .field("subtitle", \.subtitle, 56),
        .field("resources", \.resources, 64),
        .field("submission", \.submission, 72),
        .field("expires_at_ns", \.expires_at_ns, 80)
    )

    static let launchInfo = layout(
        "bgt_launch_info",
        bgt_launch_info.self,
        96,
        .field("size", \.size, 0),
        .field("lane", \.lane, 4),
        .field("cause", \.cause, 8),
        .field("role", \.role, 12),
        .field("launch", \.launch, 16),
        .field("remaining_ns", \.remaining_ns, 24),
        .field("deadline_ns", \.deadline_ns, 32),
        .field("grace_ns", \.grace_ns, 40),
        .field("plugin", \.plugin, 48),
        .field("identifiers", \.identifiers, 56),
        .field("identifier_count", \.identifier_count, 64),
        .field("supported_resources", \.supported_resources, 72),
        .field("host_name", \.host_name, 80),
        .field("host_version", \.host_version, 88)
    )

    static let taskInfo = layout(
        "bgt_task_info",
        bgt_task_info.self,
        88,
        .field("size", \.size, 0),
        .field("kind", \.kind, 4),
        .field("event", \.event, 8),
        .field("attempt", \.attempt, 12),
        .field("identifier", \.identifier, 16),
        .field("payload", \.payload, 24),
        .field("payload_length", \.payload_length, 32),
        .field("submission", \.submission, 40),
        .field("flags", \.flags, 48),
        .field("expiration_reason", \.expiration_reason, 52),
        .field("title", \.title, 56),
        .field("subtitle", \.subtitle, 64),
        .field("fleet_item", \.fleet_item, 72),
        .field("fence", \.fence, 80)
    )

    static let plugin = layout(
        "bgt_plugin",
        bgt_plugin.self,
        48,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("context", \.context, 8),
        .field("receive", \.receive, 16),
        .field("run_main", \.run_main, 24),
        .field("stop", \.stop, 32),
        .field("quiet_ns", \.quiet_ns, 40)
    )

    static let host = layout(
        "bgt_host",
        bgt_host.self,
        168,
        .field("size", \.size, 0),
        .field("minor", \.minor, 4),
        .field("launch_info", \.launch_info, 8),
        .field("register_handler", \.register_handler, 16),
        .field("submit", \.submit, 24),
        .field("cancel", \.cancel, 32),
        .field("cancel_all", \.cancel_all, 40),
        .field("pending", \.pending, 48),
        .field("task_info", \.task_info, 56),
        .field("set_expiration_handler", \.set_expiration_handler, 64),
        .field("complete", \.complete, 72),
        .field("remaining", \.remaining, 80),
        .field("is_expiring", \.is_expiring, 88),
        .field("set_progress", \.set_progress, 96),
        .field("set_title", \.set_title, 104),
        .field("begin_assertion", \.begin_assertion, 112),
        .field("end_assertion", \.end_assertion, 120),
        .field("container_path", \.container_path, 128),
        .field("setting", \.setting, 136),
        .field("log", \.log, 144),
        .field("name", \.name, 152),
        .field("query", \.query, 160)
    )

    static let legacyFetch = layout(
        "bgt_legacy_fetch",
        bgt_legacy_fetch.self,
        16,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("set_minimum_interval", \.set_minimum_interval, 8)
    )

    static let cursorInfo = layout(
        "bgt_cursor_info",
        bgt_cursor_info.self,
        40,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("length", \.length, 8),
        .field("moved_at_ns", \.moved_at_ns, 16),
        .field("submission", \.submission, 24),
        .field("version", \.version, 32)
    )

    static let cursors = layout(
        "bgt_cursors",
        bgt_cursors.self,
        32,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("read", \.read, 8),
        .field("checkpoint", \.checkpoint, 16),
        .field("discard", \.discard, 24)
    )

    static let pushes = layout(
        "bgt_pushes",
        bgt_pushes.self,
        24,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("register_plugin", \.register_plugin, 8),
        .field("unregister_plugin", \.unregister_plugin, 16)
    )

    static let transfer = layout(
        "bgt_transfer",
        bgt_transfer.self,
        120,
        .field("size", \.size, 0),
        .field("kind", \.kind, 4),
        .field("flags", \.flags, 8),
        .field("reserved", \.reserved, 12),
        .field("session", \.session, 16),
        .field("url", \.url, 24),
        .field("label", \.label, 32),
        .field("method", \.method, 40),
        .field("file", \.file, 48),
        .field("headers", \.headers, 56),
        .field("header_count", \.header_count, 64),
        .field("secret_headers", \.secret_headers, 72),
        .field("secret_header_count", \.secret_header_count, 80),
        .field("sha256", \.sha256, 88),
        .field("expected_size", \.expected_size, 96),
        .field("earliest_begin_ns", \.earliest_begin_ns, 104),
        .field("expires_at_ns", \.expires_at_ns, 112)
    )

    static let transferInfo = layout(
        "bgt_transfer_info",
        bgt_transfer_info.self,
        80,
        .field("size", \.size, 0),
        .field("kind", \.kind, 4),
        .field("state", \.state, 8),
        .field("http_status", \.http_status, 12),
        .field("number", \.number, 16),
        .field("session", \.session, 24),
        .field("url", \.url, 32),
        .field("label", \.label, 40),
        .field("code", \.code, 48),
        .field("file", \.file, 56),
        .field("bytes", \.bytes, 64),
        .field("total", \.total, 72)
    )

    static let transfers = layout(
        "bgt_transfers",
        bgt_transfers.self,
        40,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("begin", \.begin, 8),
        .field("cancel", \.cancel, 16),
        .field("list", \.list, 24),
        .field("take", \.take, 32)
    )

    static let notifications = layout(
        "bgt_notifications",
        bgt_notifications.self,
        16,
        .field("size", \.size, 0),
        .field("reserved", \.reserved, 4),
        .field("set_content", \.set_content, 8)
    )

    private static func layout<Root>(
        _ name: String,
        _ type: Root.Type,
        _ shipped: Int,
        _ fields: FieldOf<Root>...
    ) -> Layout {
        Layout(type: name, size: MemoryLayout<Root>.size, shipped: shipped, fields: fields.map(\.field))
    }

    /// A field together with the type of its struct, so that key paths need not name the type.
    private struct FieldOf<Root> {
        let field: Field

        static func field<Value>(_ name: String, _ path: KeyPath<Root, Value>, _ shipped: Int) -> Self {
            Self(
                field: Field(
                    name: name,
                    offset: MemoryLayout<Root>.offset(of: path),
                    size: MemoryLayout<Value>.size,
                    shipped: shipped
                )
            )
        }
    }
}
