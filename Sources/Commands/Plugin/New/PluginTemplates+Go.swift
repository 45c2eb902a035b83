// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Sources of plugins in Go: the work in Go, and entry, note and callbacks in C.
extension PluginTemplates {
    enum Go {
        /// `plugin.go` of a main plugin.
        static let main = #"""
            package main

            // #cgo pkg-config: bgtask
            // #include "plugin.h"
            import "C"

            // The work in steps, each much shorter than the grace period of 5 s. False when the task expires before its end.
            func work(isExpiring func() bool) bool {
            	const steps = 10
            	done := 0
            	for done < steps && !isExpiring() {
            		done++
            	}
            	return done == steps
            }

            // The task, on a thread of the host. A panic ends the process, which the host records as a crash: return errors instead.
            //
            //export pluginWork
            func pluginWork(host *C.bgt_host, task C.bgt_task) C.int32_t {
            	if work(func() bool { return C.bgt_is_expiring(host, task) != 0 }) {
            		return C.BGT_OUTCOME_SUCCESS
            	}
            	return C.BGT_OUTCOME_FAILURE
            }

            func main() {}
            """#

        /// `plugin.c` of a main plugin.
        static let mainEntry = #"""
            /* Entry, note and callbacks of the plugin: the C compiler checks them against bgtask.h. The work is in plugin.go. */

            #include "plugin.h"

            #include "_cgo_export.h"

            #define @CONSTANT@ "@TASK@"

            /* Submits the next request. It replaces the pending one, and the host runs it when its conditions hold. */
            static void submit_next(const bgt_host *host, int64_t seconds) {
                bgt_request request = @REQUEST@;
                bgt_refusal refusal;
                request.earliest_begin_ns = bgt_seconds_from_now(seconds);
                if (bgt_submit(host, &request, &refusal) != BGT_OK) bgt_log(host, BGT_LOG_WARNING, refusal.text);
            }

            /* The task. Submits its successor first: when the work fails, the next request is already pending. */
            static void @WORK@(void *context, const bgt_host *host, bgt_task task) {
                (void)context;
                submit_next(host, 60 * 60);
                bgt_complete(host, task, pluginWork((bgt_host *)host, task));
            }

            /* The event `started` arrives after installation, after an update, and when the host starts while nothing is pending. */
            static void receive(void *context, const bgt_host *host, bgt_task event) {
                bgt_task_info info;
                (void)context;
                const int is_started = bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED;
                if (is_started) submit_next(host, 0);
                bgt_complete(host, event, is_started ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA);
            }

            /* Runs at every launch: registers the handlers, and submits nothing. */
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                plugin->receive = receive;
                return bgt_register(host, @CONSTANT@, @WORK@, NULL);
            }
            """#

        /// `plugin.go` of an extension.
        static let `extension` = #"""
            package main

            // #cgo pkg-config: bgtask
            // #include "plugin.h"
            import "C"
            import "unsafe"

            // Whether the payload of a trigger asks for a request of the main plugin.
            func isRequested(payload []byte) bool {
            	return len(payload) < 1<<16
            }

            // Judges a trigger, on a thread of the host. A panic ends the process, which the host records as a crash.
            //
            //export pluginIsRequested
            func pluginIsRequested(payload *C.uint8_t, length C.uint64_t) C.int32_t {
            	if isRequested(C.GoBytes(unsafe.Pointer(payload), C.int(length))) {
            		return 1
            	}
            	return 0
            }

            func main() {}
            """#

        /// `plugin.c` of an extension.
        static let extensionEntry = #"""
            /* Entry, note and callbacks of the extension: the C compiler checks them against bgtask.h. The work is in plugin.go. */

            #include "plugin.h"

            #include "_cgo_export.h"

            /* A task of the main plugin, which permits and runs it. */
            #define @CONSTANT@ "@TASK@"

            static void receive(void *context, const bgt_host *host, bgt_task event) {
                bgt_task_info info;
                bgt_refusal refusal;
                (void)context;
                if (bgt_get_task_info(host, event, &info) != BGT_OK || info.event != BGT_EVENT_TRIGGER
                    || !pluginIsRequested((uint8_t *)info.payload, info.payload_length)) {
                    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
                    return;
                }
                const bgt_request request = @REQUEST@;
                if (bgt_submit(host, &request, &refusal) == BGT_OK) {
                    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
                } else {
                    bgt_complete_with_message(host, event, BGT_OUTCOME_FAILURE, refusal.text);
                }
            }

            /* Runs at every launch. An extension registers no handlers. */
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                (void)host;
                plugin->receive = receive;
                return BGT_OK;
            }
            """#

        /// `plugin.h`: includes the header `bgtask.h` for `plugin.go` and `plugin.c`.
        static let header = #"""
            /* The types that Go and C share. */

            #include <bgtask.h>
            """#

        /// `go.mod`.
        static let module = #"""
            module @NAME@plugin

            go 1.19
            """#
    }
}
