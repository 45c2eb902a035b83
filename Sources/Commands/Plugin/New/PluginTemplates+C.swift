// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Sources of plugins in C.
extension PluginTemplates {
    enum C {
        /// The source of a main plugin.
        static let main = #"""
            #include <bgtask.h>
            #include <stdbool.h>

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
                enum { STEPS = 10 };
                (void)context;
                submit_next(host, 60 * 60);
                int done = 0;
                while (done < STEPS && !bgt_is_expiring(host, task)) {
                    done++; /* one step of the work, much shorter than the grace period of 5 s */
                }
                bgt_complete(host, task, done == STEPS ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
            }

            /* The event `started` arrives after installation, after an update, and when the host starts while nothing is pending. */
            static void receive(void *context, const bgt_host *host, bgt_task event) {
                bgt_task_info info;
                (void)context;
                const bool is_started = bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED;
                if (is_started) submit_next(host, 0);
                bgt_complete(host, event, is_started ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA);
            }

            /* Runs at every launch: registers the handlers, and submits nothing. */
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                plugin->receive = receive;
                return bgt_register(host, @CONSTANT@, @WORK@, NULL);
            }
            """#

        /// The source of an extension.
        static let `extension` = #"""
            #include <bgtask.h>

            /* A task of the main plugin, which permits and runs it. */
            #define @CONSTANT@ "@TASK@"

            /* The event `trigger` has a payload: info.payload, info.payload_length. */
            static void receive(void *context, const bgt_host *host, bgt_task event) {
                bgt_task_info info;
                bgt_refusal refusal;
                (void)context;
                if (bgt_get_task_info(host, event, &info) != BGT_OK || info.event != BGT_EVENT_TRIGGER) {
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
    }
}
