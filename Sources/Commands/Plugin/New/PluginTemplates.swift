// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The texts of the files that `plugin new` writes. A place for a name is written `@NAME@`; `PluginProject` fills it.
enum PluginTemplates {}
