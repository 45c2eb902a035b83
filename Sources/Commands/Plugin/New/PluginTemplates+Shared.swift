// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Files that are the same in every language.
extension PluginTemplates {
    enum Shared {
        /// The manifest of a main plugin.
        static let mainManifest = #"""
            manifest: 1
            identifier: @IDENTIFIER@
            name: @NAME@
            version: 0.1.0
            role: main
            library: lib@NAME@.so
            background-modes: [@MODE@]
            permitted-identifiers: [@TASK@]
            """#

        /// The manifest of an extension.
        static let extensionManifest = #"""
            manifest: 1
            identifier: @IDENTIFIER@
            name: @NAME@
            version: 0.1.0
            role: extension
            containing-plugin: @MAIN@
            library: lib@NAME@.so
            """#

        /// The manifest that stands in for the main plugin of an extension when it is checked.
        static let standIn = #"""
            # Stands in for the main plugin in `make check`. The installed main plugin has these lines, too.
            manifest: 1
            identifier: @MAIN@
            role: main
            library: lib@NAME@.so
            background-modes: [@MODE@]
            permitted-identifiers: [@TASK@]
            extensions: [@IDENTIFIER@]
            """#

        /// The test of a main plugin, in the common subset of C and C++.
        static let mainTest = #"""
            /* Tests of the plugin with the fake host of libbgtask-testing: no host runs. */

            #include <bgtask-testing.h>
            #include <stdio.h>
            #include <stdlib.h>

            #define @CONSTANT@ "@TASK@"

            static void check(bool holds, const char *statement) {
                if (holds) return;
                fprintf(stderr, "not true: %s\n", statement);
                exit(1);
            }

            int main(void) {
                bgtt_host *host = bgtt_new("@IDENTIFIER@");
                bgtt_permit(host, @CONSTANT@);
                check(bgtt_enter(host, bgtask_plugin_entry) == BGT_OK, "entry succeeds");
                check(bgtt_send(host, BGT_EVENT_STARTED) == BGT_OUTCOME_SUCCESS, "the event `started` succeeds");
                check(bgtt_pending_request(host, @CONSTANT@) != NULL, "the event `started` submits the first request");
                check(bgtt_run_pending(host, @CONSTANT@) == BGT_OUTCOME_SUCCESS, "the task succeeds");
                const bgt_pending *next = bgtt_pending_request(host, @CONSTANT@);
                check(next != NULL && next->earliest_begin_ns > 0, "the task submits the next request, for later");
                check(bgtt_end(host) == 0, "the launch ends without a defect");
                bgtt_free(host);
                puts("@NAME@: every statement is true");
                return 0;
            }
            """#

        /// The test of an extension, in the common subset of C and C++.
        static let extensionTest = #"""
            /* Tests of the extension with the fake host of libbgtask-testing: no host runs. */

            #include <bgtask-testing.h>
            #include <stdio.h>
            #include <stdlib.h>

            #define @CONSTANT@ "@TASK@"

            static void check(bool holds, const char *statement) {
                if (holds) return;
                fprintf(stderr, "not true: %s\n", statement);
                exit(1);
            }

            int main(void) {
                bgtt_host *host = bgtt_new("@IDENTIFIER@");
                bgtt_set_role(host, BGT_ROLE_EXTENSION);
                bgtt_permit(host, @CONSTANT@);
                check(bgtt_enter(host, bgtask_plugin_entry) == BGT_OK, "entry succeeds");
                check(bgtt_send(host, BGT_EVENT_TRIGGER) == BGT_OUTCOME_SUCCESS, "the trigger succeeds");
                check(bgtt_pending_request(host, @CONSTANT@) != NULL, "the trigger submits a request of the main plugin");
                bgtt_refuse_next(host, BGT_UNAVAILABLE, BGT_REASON_PLUGIN_MISSING, "the main plugin is not installed");
                check(bgtt_send(host, BGT_EVENT_TRIGGER) == BGT_OUTCOME_FAILURE, "a trigger whose request is refused fails");
                check(bgtt_end(host) == 0, "the launch ends without a defect");
                bgtt_free(host);
                puts("@NAME@: every statement is true");
                return 0;
            }
            """#

        /// The lines of the READMEs about an installation from a checkout.
        static let checkout = #"""
            Without the packages, `make install` in a checkout of bgtask installs the same files. These commands install
            headers, library for tests and Swift package alone, without a build of the host. Run the first one in the checkout:

                make -C Packaging headers development PREFIX=$HOME/.local
                export PKG_CONFIG_PATH=$HOME/.local/lib/pkgconfig:$HOME/.local/share/pkgconfig
            """#

        /// `README.md` of a main plugin.
        static let mainReadme = #"""
            # @NAME@

            A main plugin of bgtask, in @LANGUAGE@.

                make          # builds lib@NAME@.so
                make check    # tests it with a fake host, and checks manifest and library as a host does

            @REQUIREMENTS@

            Without a host:

                bgtask plugin try @NAME@.yaml @TASK@          # runs the task once
                bgtask plugin check @NAME@.yaml --level 2     # also expirations, refusals and events
                bgtask plugin pack @NAME@.yaml                # one file for operators

            Run it in a host of your own:

                bgtask host run --user                        # in a second terminal
                bgtask plugin install @NAME@.yaml
                bgtask run @TASK@
                bgtask journal --plugin @IDENTIFIER@

            The event `started` submits the first request of `@TASK@`. The task submits the next
            one, an hour later. `bgtask why @TASK@` explains why it waits.
            """#

        /// `README.md` of an extension.
        static let extensionReadme = #"""
            # @NAME@

            An extension of the plugin `@MAIN@` of bgtask, in @LANGUAGE@.

                make          # builds lib@NAME@.so
                make check    # tests it with a fake host, and checks manifest and library as a host does
                make check MAIN=PATH    # the same with the manifest of the main plugin

            @REQUIREMENTS@

            Without a host, beside the manifest that stands in for the main plugin. It names the library of the
            extension, which `--plugins` finds:

                bgtask plugin try @NAME@.yaml trigger --with tests/main.yaml --plugins .            # runs it once
                bgtask plugin check @NAME@.yaml --with tests/main.yaml --plugins . --level 2        # also expirations
                bgtask plugin pack @NAME@.yaml                                                      # one file for operators

            `make trials` runs the first two.

            Run it in a host of your own, in which the main plugin is installed. The manifest of the main plugin lists
            the extension under `extensions`, and `@TASK@` under `permitted-identifiers`:

                bgtask host run --user                        # in a second terminal
                bgtask plugin install @NAME@.yaml
                bgtask trigger @IDENTIFIER@
                bgtask journal
            """#
    }
}
