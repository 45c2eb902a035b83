// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import TaskModel

// The rule, the subject and the promise of each check.
extension PluginCheck {
    var row: Row {
        switch self {
        case .manifestReadable: Row(.text, "the manifest is one text file in a known format")
        case .manifestRequires: Row(.manifest, "a host of this release has every feature that the manifest requires")
        case .manifestKeys:
            Row(.manifest, "every key is known, has a value of its type, and is supported by this version")
        case .manifestIdentifiers:
            Row(.manifest, "identifiers and patterns are valid; a task identifier with one label causes a note")
        case .manifestModes: Row(.manifest, "the background modes are known, and the modes and the grants can be used")
        case .manifestRole: Row(.manifest, "the keys of the manifest suit its role")
        case .manifestHandlers:
            Row(.manifest, "every handler binds a permitted identifier to a function, with its signature")
        case .libraryFound:
            Row(
                .place,
                concernsLoading: true,
                "the manifest names a library for this machine, which is at a place that the manifest may name"
            )
        case .libraryArchitectures:
            Row(.place, "the library of each other architecture exists, is built for it, and has its digest")
        case .elfStatic:
            Row(
                .file,
                rule: .abi(.layout),
                concernsLoading: true,
                "the library is a complete shared library for this machine"
            )
        case .elfNote:
            Row(
                .contents,
                rule: .abi(.version),
                concernsLoading: true,
                "the library's bgtask note names a supported ABI version; a library with bound functions has no note"
            )
        case .elfExports:
            Row(
                .contents,
                rule: .abi(.oneEntry),
                concernsLoading: true,
                "the library exports either the functions of its handlers, or the entry and no other symbol of the ABI"
            )
        case .elfSearchPath:
            Row(
                .contents,
                concernsLoading: true,
                "needed libraries are searched for in or below the library's directory, or where only root can write"
            )
        case .elfDependencies:
            Row(
                .contents,
                rule: .loader,
                concernsLoading: true,
                "the loader of this machine finds and loads every library that the library needs"
            )
        case .elfUndefined:
            Row(
                .contents,
                rule: .loader,
                concernsLoading: true,
                "the needed libraries define every symbol and every symbol version that the library uses"
            )
        case .elfTextRelocations:
            Row(
                .contents,
                rule: .abi(.processOfHost),
                concernsLoading: true,
                "the library has no text relocations, which make its code writable while it is loaded"
            )
        case .elfDlopenFlags:
            Row(
                .contents,
                rule: .loader,
                concernsLoading: true,
                "the library can be loaded into a running program"
            )
        case .elfHardened:
            Row(.contents, rule: .abi(.processOfHost), "the library requires no executable stack")
        case .libraryPinned:
            Row(.place, concernsLoading: true, "the library has the digest that the manifest pins")
        case .filesPinned:
            Row(
                .place,
                concernsLoading: true,
                "the pinned files have the pinned digests, and a pinned library loads no other file from its directory"
            )
        case .provenance:
            Row(
                .manifest,
                "the manifest conforms to the provenance policy, and any signature beside it is valid"
            )
        case .identifierFree: Row(.neighbours, "no other manifest describes the same plugin")
        case .taskIdentifiersFree: Row(.neighbours, "no other main plugin owns a task identifier of the plugin")
        case .containingPlugin: Row(.neighbours, "the main plugin of an extension is installed and lists the extension")
        }
    }
}
