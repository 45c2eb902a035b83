// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The declarations of the header in Rust.
extension PluginTemplates.Rust {
    /// `src/bgtask.rs`: the declarations of the header that the plugins use, and functions that call them.
    static let bindings = declarations + "\n\n" + functions

    private static let declarations = #"""
        //! The part of bgtask.h that this plugin uses, with the layouts of the header. The comments of the header state thread,
        //! phase and ownership of every function.

        #![allow(dead_code)]

        use std::ffi::{c_void, CString};
        use std::mem::size_of;
        use std::os::raw::c_char;

        pub const OK: i32 = 0;
        pub const KIND_REFRESH: u32 = 1;
        pub const KIND_PROCESSING: u32 = 2;
        /// Flags of a processing request.
        pub const NEEDS_NETWORK: u32 = 1;
        pub const NEEDS_EXTERNAL_POWER: u32 = 2;
        pub const EVENT_STARTED: u32 = 1;
        pub const EVENT_TRIGGER: u32 = 2;
        pub const OUTCOME_SUCCESS: i32 = 1;
        pub const OUTCOME_FAILURE: i32 = 2;
        pub const OUTCOME_NO_DATA: i32 = 3;
        pub const LOG_DEBUG: u32 = 1;
        pub const LOG_INFO: u32 = 2;
        pub const LOG_WARNING: u32 = 3;
        pub const LOG_ERROR: u32 = 4;

        pub type Task = u64;
        pub type Handler = unsafe extern "C" fn(*mut c_void, *const Host, Task);
        /// The last argument is the reason, BGT_EXPIRED_...
        pub type ExpirationHandler = unsafe extern "C" fn(*mut c_void, *const Host, Task, u32);
        pub type Release = unsafe extern "C" fn(*mut c_void);
        /// A function of the table that this plugin does not call. Give it its type before the first call.
        pub type Unused = unsafe extern "C" fn();

        #[repr(C)]
        pub struct Request {
            pub size: u32,
            pub kind: u32,
            pub flags: u32,
            pub strategy: u32,
            pub identifier: *const c_char,
            pub earliest_begin_ns: i64,
            pub payload: *const u8,
            pub payload_length: u64,
            pub title: *const c_char,
            pub subtitle: *const c_char,
            pub resources: u64,
            pub expires_at_ns: i64,
        }

        #[repr(C)]
        pub struct Refusal {
            pub size: u32,
            pub sub_reason: u32,
            pub submission: u64,
            pub text: [c_char; 240],
        }

        #[repr(C)]
        pub struct TaskInfo {
            pub size: u32,
            pub kind: u32,
            pub event: u32,
            pub attempt: u32,
            pub identifier: *const c_char,
            pub payload: *const u8,
            pub payload_length: u64,
            pub submission: u64,
            pub flags: u32,
            pub expiration_reason: u32,
            pub title: *const c_char,
            pub subtitle: *const c_char,
            pub fleet_item: i64,
            pub fence: i64,
        }

        #[repr(C)]
        pub struct Plugin {
            pub size: u32,
            pub reserved: u32,
            pub context: *mut c_void,
            pub receive: Option<Handler>,
            pub run_main: Option<unsafe extern "C" fn(*mut c_void, *const Host)>,
            pub stop: Option<unsafe extern "C" fn(*mut c_void, *const Host)>,
            pub quiet_ns: u64,
        }

        #[repr(C)]
        pub struct Host {
            pub size: u32,
            pub minor: u32,
            launch_info: Unused,
            pub register_handler: unsafe extern "C" fn(
                *const Host,
                *const c_char,
                Option<Handler>,
                *mut c_void,
                Option<Release>,
                *mut Refusal,
            ) -> i32,
            pub submit: unsafe extern "C" fn(*const Host, *const Request, *mut Refusal) -> i32,
            cancel: Unused,
            cancel_all: Unused,
            pending: Unused,
            pub task_info: unsafe extern "C" fn(*const Host, Task, *mut TaskInfo) -> i32,
            pub set_expiration_handler:
                unsafe extern "C" fn(*const Host, Task, Option<ExpirationHandler>, *mut c_void, Option<Release>) -> i32,
            pub complete: unsafe extern "C" fn(*const Host, Task, i32, *const c_char) -> i32,
            remaining: Unused,
            pub is_expiring: unsafe extern "C" fn(*const Host, Task) -> i32,
            set_progress: Unused,
            set_title: Unused,
            begin_assertion: Unused,
            end_assertion: Unused,
            pub container_path: unsafe extern "C" fn(*const Host, *mut c_char, u64, *mut u64) -> i32,
            pub setting: unsafe extern "C" fn(*const Host, *const c_char, *mut c_char, u64, *mut u64) -> i32,
            pub log: unsafe extern "C" fn(*const Host, Task, u32, *const c_char),
            name: Unused,
            query: Unused,
        }

        const _: () = assert!(size_of::<Request>() == 80);
        const _: () = assert!(size_of::<Refusal>() == 256);
        const _: () = assert!(size_of::<TaskInfo>() == 88);
        const _: () = assert!(size_of::<Plugin>() == 48);
        const _: () = assert!(size_of::<Host>() == 168);

        /// The note that the host reads before it loads the library: ABI 1, minor 0, written for the header of minor 0.
        #[used]
        #[link_section = ".note.bgtask"]
        static NOTE: [u32; 8] = [
            7,
            12,
            1,
            u32::from_le_bytes(*b"bgta"),
            u32::from_le_bytes(*b"sk\0\0"),
            1,
            0,
            0,
        ];
        """#
}
