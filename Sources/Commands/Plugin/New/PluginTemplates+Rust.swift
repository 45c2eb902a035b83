// Part of bgtask, under the Apache License 2.0; see LICENSE.

// Sources of plugins in Rust.
extension PluginTemplates {
    enum Rust {
        /// `src/lib.rs` of a main plugin.
        static let main = #"""
            mod bgtask;

            use bgtask::*;
            use std::ffi::c_void;
            use std::os::raw::c_char;
            use std::ptr::null;
            use std::time::{SystemTime, UNIX_EPOCH};

            const @CONSTANT@: *const c_char = b"@TASK@\0".as_ptr() as *const c_char;

            /// Submits the next request. It replaces the pending one, and the host runs it when its conditions hold.
            unsafe fn submit_next(host: *const Host, seconds: i64) {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
                if let Err(refusal) = @REQUEST@, (now + seconds) * 1_000_000_000) {
                    ((*host).log)(host, 0, LOG_WARNING, refusal.text.as_ptr());
                }
            }

            /// The task. Submits its successor first: when the work fails, the next request is already pending. A panic aborts the
            /// process, which the host records as a crash: return errors instead.
            unsafe extern "C" fn @WORK@(_context: *mut c_void, host: *const Host, task: Task) {
                const STEPS: u32 = 10;
                submit_next(host, 60 * 60);
                let mut done = 0;
                while done < STEPS && ((*host).is_expiring)(host, task) == 0 {
                    done += 1; // one step of the work, much shorter than the grace period of 5 s
                }
                complete(host, task, if done == STEPS { OUTCOME_SUCCESS } else { OUTCOME_FAILURE }, null());
            }

            /// The event `started` arrives after installation, after an update, and when the host starts while nothing is pending.
            unsafe extern "C" fn receive(_context: *mut c_void, host: *const Host, event: Task) {
                let is_started = event_type(host, event) == EVENT_STARTED;
                if is_started {
                    submit_next(host, 0);
                }
                complete(host, event, if is_started { OUTCOME_SUCCESS } else { OUTCOME_NO_DATA }, null());
            }

            /// Runs at every launch: registers the handlers, and submits nothing.
            #[no_mangle]
            pub unsafe extern "C" fn bgtask_plugin_entry(host: *const Host, plugin: *mut Plugin) -> i32 {
                (*plugin).receive = Some(receive);
                let (context, refusal) = (std::ptr::null_mut(), std::ptr::null_mut());
                ((*host).register_handler)(host, @CONSTANT@, Some(@WORK@), context, None, refusal)
            }
            """#

        /// `src/lib.rs` of an extension.
        static let `extension` = #"""
            mod bgtask;

            use bgtask::*;
            use std::ffi::c_void;
            use std::os::raw::c_char;
            use std::ptr::null;

            /// A task of the main plugin, which permits and runs it.
            const @CONSTANT@: *const c_char = b"@TASK@\0".as_ptr() as *const c_char;

            /// The event `trigger` has a payload: `payload` and `payload_length` of `TaskInfo`. A panic aborts the process, which the
            /// host records as a crash: return errors instead.
            unsafe extern "C" fn receive(_context: *mut c_void, host: *const Host, event: Task) {
                if event_type(host, event) != EVENT_TRIGGER {
                    return complete(host, event, OUTCOME_NO_DATA, null());
                }
                match @REQUEST@, 0) {
                    Ok(()) => complete(host, event, OUTCOME_SUCCESS, null()),
                    Err(refusal) => complete(host, event, OUTCOME_FAILURE, refusal.text.as_ptr()),
                }
            }

            /// Runs at every launch. An extension registers no handlers.
            #[no_mangle]
            pub unsafe extern "C" fn bgtask_plugin_entry(_host: *const Host, plugin: *mut Plugin) -> i32 {
                (*plugin).receive = Some(receive);
                OK
            }
            """#

        /// `Cargo.toml`.
        static let package = #"""
            [package]
            name = "@NAME@-plugin"
            version = "0.1.0"
            edition = "2021"

            [lib]
            name = "@NAME@_plugin"
            crate-type = ["cdylib"]

            # No panic crosses the ABI.
            [profile.release]
            panic = "abort"

            [profile.dev]
            panic = "abort"
            """#
    }
}
