// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The language of a library's own code, as far as its file shows it.
package enum LibraryLanguage: String, Hashable, Sendable, CaseIterable {
    case swift
    case rust
    case go
    case cxx = "c++"
    /// C, or a language that the file does not show.
    case c
}

// The remedies for a missing or misplaced entry, one for each language.
extension LibraryLanguage {
    var noteRemedy: String {
        switch self {
        case .swift: "build it with the module BackgroundTasks, which emits the note"
        case .rust: "emit the note as a #[used] static of 32 bytes with #[link_section = \".note.bgtask\"]"
        case .go: "emit the note with BGTASK_PLUGIN_ENTRY of bgtask.h, in a C file of the package main"
        case .cxx, .c: "build it with BGTASK_PLUGIN_ENTRY of bgtask.h, which emits the note"
        }
    }

    /// How to define an entry in this language, as an instruction to the vendor.
    var entryDefinition: String {
        switch self {
        case .swift: "write @c(bgtask_plugin_entry) before a public function"
        case .rust:
            "write #[no_mangle] pub extern \"C\" fn bgtask_plugin_entry, in edition 2024 with #[unsafe(no_mangle)]"
        case .go:
            "write BGTASK_PLUGIN_ENTRY of bgtask.h in a C file of the package main, and call your function under"
                + " //export from it"
        case .cxx: "write it with BGTASK_PLUGIN_ENTRY of bgtask.h, which makes it extern \"C\""
        case .c: "write it with BGTASK_PLUGIN_ENTRY of bgtask.h"
        }
    }

    var missingEntryRemedy: String {
        switch self {
        case .swift: entryDefinition
        case .rust: "\(entryDefinition), in a crate of the type cdylib"
        case .go: "\(entryDefinition); build with -buildmode=c-shared"
        case .cxx, .c: "\(entryDefinition), which also exports it"
        }
    }

    var hiddenEntryRemedy: String {
        switch self {
        case .swift: "make the function under @c(bgtask_plugin_entry) public"
        case .rust: "make it pub, and build the crate that defines it as cdylib"
        case .go, .cxx, .c:
            "define it with BGTASK_PLUGIN_ENTRY of bgtask.h, and keep it global in a version script if there is one"
        }
    }

    var mangledEntryRemedy: String {
        switch self {
        case .swift: "write @c(bgtask_plugin_entry) before the function, which keeps its name"
        case .rust: "write #[no_mangle] before the function, in edition 2024 #[unsafe(no_mangle)], which keeps its name"
        case .cxx: "write it with BGTASK_PLUGIN_ENTRY of bgtask.h, or declare it extern \"C\", which keeps its name"
        case .go, .c: entryDefinition
        }
    }
}
