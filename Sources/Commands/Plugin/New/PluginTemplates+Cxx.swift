// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Sources of plugins in C++.
extension PluginTemplates {
    enum Cxx {
        /// The source of a main plugin.
        static let main = #"""
            #include <bgtask.h>

            #include <cstdint>
            #include <exception>

            namespace {

            constexpr const char *@WORK@Identifier = "@TASK@";

            // Submits the next request. It replaces the pending one, and the host runs it when its conditions hold.
            void submitNext(const bgt_host *host, std::int64_t seconds) {
                bgt_request request = @REQUEST@;
                bgt_refusal refusal{};
                request.earliest_begin_ns = bgt_seconds_from_now(seconds);
                if (bgt_submit(host, &request, &refusal) != BGT_OK) bgt_log(host, BGT_LOG_WARNING, refusal.text);
            }

            // The work in steps, each much shorter than the grace period of 5 s. May throw.
            bool work(const bgt_host *host, bgt_task task) {
                constexpr int steps = 10;
                int done = 0;
                while (done < steps && bgt_is_expiring(host, task) == 0) ++done;
                return done == steps;
            }

            // The task. Submits its successor first: when the work fails, the next request is already pending. No exception crosses
            // the ABI: every function that the host calls is noexcept.
            void @WORK@(void *, const bgt_host *host, bgt_task task) noexcept {
                submitNext(host, 60 * 60);
                try {
                    bgt_complete(host, task, work(host, task) ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
                } catch (const std::exception &problem) {
                    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, problem.what());
                }
            }

            // The event `started` arrives after installation, after an update, and when the host starts while nothing is pending.
            void receive(void *, const bgt_host *host, bgt_task event) noexcept {
                bgt_task_info info{};
                const bool isStarted = bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED;
                if (isStarted) submitNext(host, 0);
                bgt_complete(host, event, isStarted ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA);
            }

            } // namespace

            // Runs at every launch: registers the handlers, and submits nothing.
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                plugin->receive = receive;
                return bgt_register(host, @WORK@Identifier, @WORK@, nullptr);
            }
            """#

        /// The source of an extension.
        static let `extension` = #"""
            #include <bgtask.h>

            namespace {

            // A task of the main plugin, which permits and runs it.
            constexpr const char *@WORK@Identifier = "@TASK@";

            // The event `trigger` has a payload: info.payload, info.payload_length. No exception crosses the ABI: every function
            // that the host calls is noexcept.
            void receive(void *, const bgt_host *host, bgt_task event) noexcept {
                bgt_task_info info{};
                bgt_refusal refusal{};
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

            } // namespace

            // Runs at every launch. An extension registers no handlers.
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                (void)host;
                plugin->receive = receive;
                return BGT_OK;
            }
            """#
    }
}
